import Foundation
import RallyWire

/// The server's folder: private to its owner, with the database, the keys and the lock.
struct DataFolder: Sendable {
  let path: String

  enum Failure: Error, CustomStringConvertible {
    case cannotCreate(path: String, reason: String)
    case damagedKeys(path: String)

    var description: String {
      switch self {
      case .cannotCreate(let path, let reason): "The folder \(path) cannot be used: \(reason)"
      case .damagedKeys(let path):
        "The keys in \(path) cannot be read; restore the file or move it away."
      }
    }
  }

  /// Makes the folder and takes everybody else's rights away.
  init(path: String) throws {
    self.path = path
    try DataFolder.makePrivate(path)
  }

  var databasePath: String { path + "/rally.db" }
  var keysPath: String { path + "/server.json" }

  static func makePrivate(_ path: String) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw Failure.cannotCreate(path: path, reason: error.localizedDescription)
    }
    guard chmod(path, 0o700) == 0 else {
      throw Failure.cannotCreate(path: path, reason: String(cString: strerror(errno)))
    }
  }

  /// Makes a private folder, or checks that an existing one is the owner's alone.
  static func requirePrivate(_ path: String) throws {
    var status = stat()
    guard stat(path, &status) == 0 else { return try makePrivate(path) }
    guard status.st_uid == getuid(), status.st_mode & 0o077 == 0 else {
      throw Failure.cannotCreate(path: path, reason: "it must be yours alone (mode 0700)")
    }
  }

  /// The keys of this folder; made at the first start.
  func keys() throws -> ServerKeys {
    if let data = FileManager.default.contents(atPath: keysPath) {
      guard let keys = try? WireJSON.decode(ServerKeys.self, from: data) else {
        throw Failure.damagedKeys(path: keysPath)
      }
      // A copy that was put back may have got other rights.
      chmod(keysPath, 0o600)
      return keys
    }
    let keys = try ServerKeys()
    try DataFolder.writePrivate(try WireJSON.encode(keys), to: keysPath)
    return keys
  }

  /// Puts a new secret in the place of the one that signs; the old one is kept for what it signed.
  ///
  /// - Throws: `Failure`; then nothing has changed.
  func rotateSecret(at time: WireTime = .now) throws {
    try DataFolder.writePrivate(
      try WireJSON.encode(try keys().rotated(at: time)), to: keysPath)
  }

  /// Writes a file that only its owner can read: complete and on disk, or not at all.
  static func writePrivate(_ data: Data, to path: String) throws {
    let draft = path + ".new"
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw Failure.cannotCreate(path: path, reason: String(cString: strerror(errno)))
    }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    try handle.write(contentsOf: data)
    try handle.synchronize()
    try handle.close()
    guard rename(draft, path) == 0 else {
      throw Failure.cannotCreate(path: path, reason: String(cString: strerror(errno)))
    }
  }
}
