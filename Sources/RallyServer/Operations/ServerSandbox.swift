import CServerProcess
import Foundation
import Synchronization

/// Has this process give up what a server does not need, as far as the kernel allows: to gain rights
/// by what it executes, and to write anywhere but where its data are.
public enum ServerSandbox {
  private static let given = Mutex<[String]>([])

  /// What was given up, in words for the log; empty before `enter`.
  public static var dropped: [String] { given.withLock { $0 } }

  /// To be called on the first thread, before there is another one: each thread hands on what it gave
  /// up to those that it starts, and to no others.
  ///
  /// - Parameter folders: Where files may be made, changed and removed from now on. Those that are
  ///   missing are made, for their owner alone; one that cannot be made leaves everything writable,
  ///   and is reported by whoever needs it.
  public static func enter(writingIn folders: [String]) {
    guard csp_no_new_privileges() == 0 else { return }
    given.withLock { $0.append("new privileges") }
    for folder in folders where access(folder, F_OK) != 0 { try? DataFolder.makePrivate(folder) }
    let paths = folders.map { strdup($0) }
    defer { for path in paths { free(path) } }
    guard csp_restrict_writes(paths.map { UnsafePointer($0) }, paths.count) == 0 else { return }
    given.withLock { $0.append("writing outside of \(folders.joined(separator: " and "))") }
    // Where SQLite puts what does not fit into memory; its own choice cannot be written any more.
    if let folder = folders.first { setenv("SQLITE_TMPDIR", folder, 1) }
  }
}
