import CServerProcess
import Foundation
import RallyStorage
import Synchronization

/// Restricts this process as far as the kernel allows: no new privileges, and no writing outside
/// its folders.
public enum ServerSandbox {
  private static let given = Mutex<[String]>([])

  /// The active restrictions, for the log; empty before `enter`.
  public static var dropped: [String] { given.withLock { $0 } }

  /// Call it on the main thread before other threads start: threads inherit restrictions from the
  /// thread that starts them.
  ///
  /// - Parameters:
  ///   - folders: The folders that stay writable. Missing ones are created with mode 0700; if one
  ///     cannot be created, nothing is restricted.
  ///   - sockets: A folder below which sockets can be made, in folders that are made later; nil for
  ///     none.
  public static func enter(writingIn folders: [String], sockets: String? = nil) {
    guard csp_no_new_privileges() == 0 else { return }
    given.withLock { $0.append("new privileges") }
    for folder in folders where access(folder, F_OK) != 0 { try? DataFolder.makePrivate(folder) }
    let paths = folders.map { strdup($0) }
    defer { for path in paths { free(path) } }
    let isRestricted =
      csp_restrict_writes(paths.map { UnsafePointer($0) }, paths.count, sockets) == 0
    guard isRestricted else { return }
    given.withLock { $0.append("writing outside of \(folders.joined(separator: " and "))") }
    // The folder for SQLite's temporary files, since its default is no longer writable.
    if let folder = folders.first { setenv("SQLITE_TMPDIR", folder, 1) }
  }
}
