import Foundation
import RallyWire

/// The server's folder: private to its owner, with the database, the keys and the lock.
struct DataFolder: Sendable {
  let path: String

  typealias Failure = DataFolderFailure

  /// Makes the folder and takes everybody else's rights away.
  init(path: String) throws {
    self.path = path
    try DataFolder.makePrivate(path)
  }

  var databasePath: String { path + "/rally.db" }
  var keysPath: String { DataFolder.keysPath(in: path) }

  private static func keysPath(in folder: String) -> String { folder + "/server.json" }

  static func makePrivate(_ path: String) throws {
    guard makeFolders(path), chmod(path, 0o700) == 0 else { throw cannotUse(path) }
  }

  /// Makes a folder and those that it lies in, as far as they are missing; false with `errno`.
  private static func makeFolders(_ path: String) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    switch errno {
    case EEXIST: return isFolder(path)
    case ENOENT:
      let parent = (path as NSString).deletingLastPathComponent
      guard !parent.isEmpty, parent != path, makeFolders(parent) else { return false }
      return mkdir(path, 0o700) == 0 || errno == EEXIST
    default: return false
    }
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    errno = ENOTDIR
    return status.st_mode & S_IFMT == S_IFDIR
  }

  /// What the system said last.
  private static func cannotUse(_ path: String) -> Failure {
    .cannotUse(path: path, reason: String(cString: strerror(errno)))
  }

  /// Makes a private folder, or checks that an existing one is the owner's alone.
  static func requirePrivate(_ path: String) throws {
    var status = stat()
    guard stat(path, &status) == 0 else { return try makePrivate(path) }
    guard status.st_uid == getuid(), status.st_mode & 0o077 == 0 else {
      throw Failure.cannotUse(path: path, reason: "it must be yours alone (mode 0700)")
    }
  }

  /// The keys of this folder; made at the first start.
  func keys() throws -> ServerKeys {
    if let (keys, _) = try DataFolder.storedKeys(in: path) {
      // A copy that was put back may have got other rights.
      chmod(keysPath, 0o600)
      return keys
    }
    let keys = try ServerKeys()
    try DataFolder.writePrivate(try WireJSON.encode(keys), to: keysPath)
    return keys
  }

  /// The keys in a folder, and their file; nil where there is none. One that cannot be read is no such
  /// case: new keys in the place of old ones sign everybody out.
  static func storedKeys(in folder: String) throws -> (keys: ServerKeys, file: Data)? {
    let path = keysPath(in: folder)
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      guard errno == ENOENT else { throw unreadableKeys(path) }
      return nil
    }
    defer { close(file) }
    var data = Data()
    var part = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(file, &part, part.count)
      guard count >= 0 else { throw unreadableKeys(path) }
      guard count > 0 else { break }
      data += part.prefix(count)
    }
    guard let keys = try? WireJSON.decode(ServerKeys.self, from: data) else {
      throw Failure.damagedKeys(path: path)
    }
    return (keys, data)
  }

  /// The keys that a folder must have by now, and their file.
  static func requireKeys(in folder: String) throws -> (keys: ServerKeys, file: Data) {
    guard let stored = try storedKeys(in: folder) else {
      throw Failure.missingKeys(path: keysPath(in: folder))
    }
    return stored
  }

  private static func unreadableKeys(_ path: String) -> Failure {
    .unreadableKeys(path: path, reason: String(cString: strerror(errno)))
  }

  /// Puts a new secret in the place of the one that signs; the old one is kept for what it signed.
  ///
  /// - Throws: `Failure`; then nothing has changed.
  func rotateSecret(at time: WireTime = .now) throws {
    try DataFolder.writePrivate(
      try WireJSON.encode(try keys().rotated(at: time)), to: keysPath)
  }

  // MARK: - Files

  /// Makes a file that only its owner can read, who is the folder's also where root makes it: a
  /// server that runs as another user has to read it later.
  ///
  /// - Returns: The open file, or -1 with `errno`, as `open` does.
  static func makeFile(_ path: String) -> Int32 {
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0, geteuid() == 0 else { return file }
    var folder = stat()
    if stat((path as NSString).deletingLastPathComponent, &folder) == 0, folder.st_uid != 0 {
      fchown(file, folder.st_uid, folder.st_gid)
    }
    return file
  }

  /// Opens a file that may be there; otherwise as `makeFile`.
  static func openOrMakeFile(_ path: String) -> Int32 {
    let file = makeFile(path)
    guard file < 0, errno == EEXIST else { return file }
    // Root does not follow a link that somebody else put into their folder.
    return open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
  }

  /// Makes an empty database where there is none; SQLite would not ask whose folder it is.
  func makeDatabase() throws {
    let file = DataFolder.makeFile(databasePath)
    guard file < 0 else {
      close(file)
      return
    }
    guard errno == EEXIST else { throw DataFolder.cannotUse(databasePath) }
  }

  /// Writes a file that only its owner can read: complete and on disk, or not at all.
  static func writePrivate(_ data: Data, to path: String) throws {
    let draft = path + ".new"
    unlink(draft)
    let file = makeFile(draft)
    guard file >= 0 else { throw cannotUse(path) }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    try handle.write(contentsOf: data)
    try handle.synchronize()
    try handle.close()
    guard rename(draft, path) == 0 else { throw cannotUse(path) }
  }
}
