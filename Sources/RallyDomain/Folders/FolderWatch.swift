import Dispatch
import Glibc

/// Tells of changes to the files of one folder, whichever process made them (inotify); nothing
/// runs in between.
enum FolderWatch {
  /// One element after files were replaced or deleted; ends where the folder cannot be watched.
  ///
  /// - Parameter folder: Made where it is missing. Folders inside of it are not watched.
  static func changes(in folder: String) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let queue = DispatchQueue(label: "rally.folder", qos: .utility)
    queue.async {
      let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      guard descriptor >= 0 else { return continuation.finish() }
      let mask = UInt32(IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE)
      guard (try? PrivateFiles.makeFolder(folder)) != nil,
        inotify_add_watch(descriptor, folder, mask) >= 0
      else {
        close(descriptor)
        return continuation.finish()
      }
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while read(descriptor, &buffer, buffer.count) > 0 {}
        continuation.yield()
      }
      source.setCancelHandler { close(descriptor) }
      let watching = Watching(source: source)
      continuation.onTermination = { _ in watching.source.cancel() }
      source.activate()
    }
    return stream
  }

  private struct Watching: @unchecked Sendable {
    // Safe: dispatch objects may be used from any thread; the Linux overlay lacks the annotation.
    let source: any DispatchSourceRead
  }
}
