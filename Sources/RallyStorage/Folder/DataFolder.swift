import Foundation
import RallyWire

/// The data folder: mode 0700, with the database, the keys and the lock.
package struct DataFolder: Sendable {
  package let path: String

  package typealias Failure = DataFolderFailure

  /// Creates the folder with mode 0700.
  package init(path: String) throws {
    self.path = path
    try DataFolder.makePrivate(path)
  }

  package var databasePath: String { path + "/rally.db" }

  package static func makePrivate(_ path: String) throws {
    guard makeFolders(path), chmod(path, 0o700) == 0 else { throw cannotUse(path) }
  }

  /// Creates a folder and its parents; false with `errno`.
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

  private static func cannotUse(_ path: String) -> Failure {
    .cannotUse(path: path, reason: String(cString: strerror(errno)))
  }

  /// Creates a private folder, or checks that an existing one is private.
  package static func requirePrivate(_ path: String) throws {
    var status = stat()
    guard stat(path, &status) == 0 else { return try makePrivate(path) }
    guard status.st_uid == getuid(), status.st_mode & 0o077 == 0 else {
      throw Failure.cannotUse(path: path, reason: "it must be yours alone (mode 0700)")
    }
  }

  // MARK: - Files

  /// Creates a file with mode 0600 and the folder's owner, also if root creates it.
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

  /// Opens or creates a file, as `makeFile`.
  static func openOrMakeFile(_ path: String) -> Int32 {
    let file = makeFile(path)
    guard file < 0, errno == EEXIST else { return file }
    // Root does not follow links in another user's folder.
    return open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
  }

  /// Creates an empty database file with the right owner and mode.
  package func makeDatabase() throws {
    let file = DataFolder.makeFile(databasePath)
    guard file < 0 else {
      close(file)
      return
    }
    guard errno == EEXIST else { throw DataFolder.cannotUse(databasePath) }
  }

  /// Writes a file with mode 0600 atomically.
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

/// Why a data folder cannot be used, as a sentence for the operator.
public enum DataFolderFailure: Error, Hashable, Sendable, CustomStringConvertible {
  case cannotUse(path: String, reason: String)
  /// The folder has no server's files.
  case noServer(path: String)
  case unreadableKeys(path: String, reason: String)
  case damagedKeys(path: String)
  case missingKeys(path: String)

  public var description: String {
    switch self {
    case .cannotUse(let path, let reason): "\(path) cannot be used: \(reason)."
    case .noServer(let path): "No server has its files in \(path)."
    case .unreadableKeys(let path, let reason):
      "The keys in \(path) cannot be read: \(reason). Let the user of the server read the file, or"
        + " restore it."
    case .damagedKeys(let path):
      "The keys in \(path) are damaged; restore the file or move it away."
    case .missingKeys(let path):
      "There are no keys in \(path); restore the file, or start the server, which makes new ones."
    }
  }
}
