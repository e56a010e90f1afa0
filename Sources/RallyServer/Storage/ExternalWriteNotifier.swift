import Dispatch
import Foundation
import Glibc
import Synchronization

/// Tells a running server that another process has written into its database.
///
/// SQLite does not: what an operator's command commits would be met by the next request, but not by
/// the sockets that are open. The command touches a file of the private data folder, the kernel
/// tells the server of it (inotify), and the server reads its feed. Nothing runs in between.
final class ExternalWriteNotifier: Sendable {
  private struct ChangeObserver: @unchecked Sendable {
    // Safe: dispatch objects may be used from any thread; the Linux overlay lacks the annotation.
    let source: any DispatchSourceRead
  }

  private let watch: Mutex<ChangeObserver?>

  private static func path(in folder: String) -> String { folder + "/server.bell" }

  /// - Parameter onRing: Called on a thread of dispatch's, some time after each ring; many rings can
  ///   be one call.
  /// - Returns: nil when the kernel watches no more files for this user.
  init?(folder: String, onRing: @escaping @Sendable () -> Void) {
    guard ExternalWriteNotifier.touch(folder, making: true) else { return nil }
    let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    guard
      inotify_add_watch(descriptor, ExternalWriteNotifier.path(in: folder), UInt32(IN_CLOSE_WRITE))
        >= 0
    else {
      close(descriptor)
      return nil
    }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .timers)
    source.setEventHandler {
      var buffer = [UInt8](repeating: 0, count: 1024)
      while read(descriptor, &buffer, buffer.count) > 0 {}
      onRing()
    }
    source.setCancelHandler { close(descriptor) }
    source.activate()
    watch = Mutex(ChangeObserver(source: source))
  }

  deinit { stop() }

  func stop() {
    let ended = watch.withLock { watch in
      defer { watch = nil }
      return watch
    }
    ended?.source.cancel()
  }

  /// Has the server of a folder look at its feed, if there is one.
  static func ring(_ folder: String) { _ = touch(folder, making: false) }

  /// Opens the file for writing and closes it: that alone is the ring, and needs no room on a disk.
  private static func touch(_ folder: String, making isMade: Bool) -> Bool {
    let path = path(in: folder)
    let file = isMade ? DataFolder.openOrMakeFile(path) : open(path, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    close(file)
    return true
  }
}
