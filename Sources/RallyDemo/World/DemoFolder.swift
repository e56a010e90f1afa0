import CWorldMap
import FoundationEssentials
import Glibc
import RallyDomain
import RallySystem

/// The temporary directory of one demo: mode 0700, below the runtime directory, removed at the end.
///
/// Every user of the directory holds a shared `flock` on it, which the kernel releases however the
/// process ends. A directory without a lock is abandoned; the next demo or the next start of the
/// program removes it.
public final class DemoFolder: Sendable {
  public let path: String
  private let lock: Int32

  private static let prefix = "demo-"

  /// Creates a new directory, after removing abandoned ones.
  ///
  /// - Parameter runtime: `RallyFolders.runtime`; created if it is missing.
  /// - Throws: `POSIXError`: `EPERM` when `runtime` is not private to this user, otherwise the
  ///   errno of the call that failed.
  public init(below runtime: String) throws(POSIXError) {
    if mkdir(runtime, 0o700) != 0, errno == ENOENT {
      // The parent usually exists already; only a fallback below the home directory is missing.
      try? FileManager.default.createDirectory(
        atPath: runtime, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    guard Self.isPrivate(runtime) else { throw POSIXError(.EPERM) }
    // Prevents another process from sweeping between `mkdtemp` and taking the shared lock.
    let gate = try Self.locked(runtime, LOCK_EX)
    defer { FileLock.release(gate) }
    Self.sweep(runtime)
    var template = Array("\(runtime)/\(Self.prefix)XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw POSIXError.last }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    lock = try Self.locked(path, LOCK_SH)
  }

  /// Joins a directory that another process created and still holds.
  ///
  /// - Throws: `POSIXError` when it no longer exists or cannot be locked.
  public init(joining path: String) throws(POSIXError) {
    self.path = path
    lock = try Self.locked(path, LOCK_SH)
  }

  deinit { FileLock.release(lock) }

  /// Deletes the directory and its contents. Does nothing when called again.
  public func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Removes the directories of demos that ended without cleaning up. Does not wait: returns when
  /// another process holds the lock.
  ///
  /// - Parameter runtime: `RallyFolders.runtime`.
  public static func removeAbandoned(below runtime: String) {
    guard isPrivate(runtime), let gate = try? locked(runtime, LOCK_EX | LOCK_NB) else { return }
    defer { FileLock.release(gate) }
    sweep(runtime)
  }

  private static func sweep(_ runtime: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: runtime)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let path = "\(runtime)/\(name)"
      guard let unused = try? locked(path, LOCK_EX | LOCK_NB) else { continue }
      try? FileManager.default.removeItem(atPath: path)
      FileLock.release(unused)
    }
  }

  private static func locked(_ path: String, _ how: Int32) throws(POSIXError) -> Int32 {
    try FileLock.take(path, how, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  }

  /// Whether `path` is a directory owned by this user with no access for others; fixes its mode if
  /// possible.
  private static func isPrivate(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      && status.st_uid == getuid() && (status.st_mode & 0o077 == 0 || chmod(path, 0o700) == 0)
  }
}

/// The streets of Monaco, which come with the program.
public enum DemoStreets {
  /// Writes the archive into a folder of streets, which is made.
  ///
  /// - Parameter folder: `RallyFolders.streets` of the demo.
  /// - Throws: The error of the file system.
  public static func write(into folder: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let file = "\(folder)/monaco.pmtiles"
    try archive.write(to: URL(fileURLWithPath: file), options: .atomic)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
  }

  /// PMTiles in the schema of OpenMapTiles, zooms 0 to 14.
  static var archive: Data {
    Data(bytes: rally_demo_streets_bytes(), count: rally_demo_streets_size())
  }
}
