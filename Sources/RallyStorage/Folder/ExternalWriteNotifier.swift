import Dispatch
import Foundation
import Glibc
import Synchronization

/// Notifies a running server that another process has written to its database.
///
/// SQLite has no such notification, so open sockets would not see the commits of an operator's
/// command. The command touches a file in the data folder, and the server, which watches it with
/// inotify, reads its feed. A client that does not reach the server touches it, too; and whoever
/// removes the folder removes the file.
package final class ExternalWriteNotifier: Sendable {
  private struct ChangeObserver: @unchecked Sendable {
    // Safe: dispatch objects may be used from any thread; the Linux overlay lacks the annotation.
    let source: any DispatchSourceRead
  }

  private let watch: Mutex<ChangeObserver?>

  private static func path(in folder: String) -> String { folder + "/server.bell" }

  /// - Parameter onWrite: Called on a dispatch thread after a write, and when the file is removed;
  ///   several may cause one call.
  /// - Returns: nil if inotify is not available.
  package init?(folder: String, onWrite: @escaping @Sendable () -> Void) {
    guard ExternalWriteNotifier.touch(folder, making: true) else { return nil }
    let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    guard
      inotify_add_watch(
        descriptor, ExternalWriteNotifier.path(in: folder),
        UInt32(IN_CLOSE_WRITE | IN_DELETE_SELF)) >= 0
    else {
      close(descriptor)
      return nil
    }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .timers)
    source.setEventHandler {
      var buffer = [UInt8](repeating: 0, count: 1024)
      while read(descriptor, &buffer, buffer.count) > 0 {}
      onWrite()
    }
    source.setCancelHandler { close(descriptor) }
    source.activate()
    watch = Mutex(ChangeObserver(source: source))
  }

  deinit { stop() }

  package func stop() {
    let ended = watch.withLock { watch in
      defer { watch = nil }
      return watch
    }
    ended?.source.cancel()
  }

  /// Notifies the server of a folder, if one runs.
  package static func notify(_ folder: String) { _ = touch(folder, making: false) }

  /// Opening the file for writing and closing it is the notification; nothing is written.
  private static func touch(_ folder: String, making isMade: Bool) -> Bool {
    let path = path(in: folder)
    let file = isMade ? DataFolder.openOrMakeFile(path) : open(path, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    close(file)
    return true
  }
}
