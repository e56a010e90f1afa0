import Foundation

/// The folder of one demo: private (0700), below the folder for sockets, and gone after it.
///
/// Whoever uses it holds a shared lock on the folder itself, which the kernel lets go however a
/// program ends; a folder without one was left behind and is removed by the next demo, and by the
/// next start of the program.
public final class DemoFolder: Sendable {
  public let path: String
  private let lock: Int32

  private static let prefix = "demo-"

  /// Makes a new one, after removing what was left behind.
  ///
  /// - Parameter runtime: `RallyFolders.runtime`; made if it is missing.
  /// - Throws: `POSIXError`.
  public init(below runtime: String) throws(POSIXError) {
    if mkdir(runtime, 0o700) != 0, errno == ENOENT {
      // Its parent is the system's; only a home without one comes here.
      try? FileManager.default.createDirectory(
        atPath: runtime, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    guard Self.isPrivate(runtime) else { throw POSIXError(.EPERM) }
    // Nobody else removes or makes one between making this one and locking it.
    let gate = try Self.locked(runtime, LOCK_EX)
    defer { close(gate) }
    Self.sweep(runtime)
    var template = Array("\(runtime)/\(Self.prefix)XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Self.failure() }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    lock = try Self.locked(path, LOCK_SH)
  }

  /// Uses a folder that somebody else has made and still holds.
  ///
  /// - Throws: `POSIXError` when it is gone.
  public init(joining path: String) throws(POSIXError) {
    self.path = path
    lock = try Self.locked(path, LOCK_SH)
  }

  deinit { close(lock) }

  /// Removes it with everything in it; a second time does nothing.
  public func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Removes the folders of demos that have ended without doing so.
  ///
  /// - Parameter runtime: `RallyFolders.runtime`.
  public static func removeAbandoned(below runtime: String) {
    guard isPrivate(runtime), let gate = try? locked(runtime, LOCK_EX | LOCK_NB) else { return }
    defer { close(gate) }
    sweep(runtime)
  }

  private static func sweep(_ runtime: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: runtime)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let path = "\(runtime)/\(name)"
      guard let unused = try? locked(path, LOCK_EX | LOCK_NB) else { continue }
      try? FileManager.default.removeItem(atPath: path)
      close(unused)
    }
  }

  private static func locked(_ path: String, _ how: Int32) throws(POSIXError) -> Int32 {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure() }
    while flock(descriptor, how) != 0 {
      if errno == EINTR { continue }
      let reason = failure()
      close(descriptor)
      throw reason
    }
    return descriptor
  }

  /// Whether it is a folder of this person's that nobody else may use.
  private static func isPrivate(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      && status.st_uid == getuid() && (status.st_mode & 0o077 == 0 || chmod(path, 0o700) == 0)
  }

  private static func failure() -> POSIXError { POSIXError(.init(rawValue: errno) ?? .EIO) }
}
