import Dispatch
import Glibc

/// A thread of its own for a call that blocks, so that none of the shared ones is held up.
package enum BackgroundThread {
  private final class Job {
    let name: String
    let body: @Sendable () -> Void

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }

    func run() {
      // The kernel's name of a thread, as `ps -L` and debuggers show it.
      let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
      if file >= 0 {
        _ = write(file, name, min(15, name.utf8.count))
        close(file)
      }
      body()
    }
  }

  /// Runs `body` once; the thread ends with it. If the system has no thread left, Dispatch runs
  /// it once it has one.
  ///
  /// - Parameters:
  ///   - name: At most 15 bytes of ASCII.
  ///   - stackSize: In bytes.
  package static func start(
    _ name: String, stackSize: Int = 128 << 10, _ body: @escaping @Sendable () -> Void
  ) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackSize)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let job = Unmanaged.passRetained(Job(name, body))
    var thread = pthread_t()
    let failure = pthread_create(
      &thread, &attributes,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<Job>.fromOpaque(pointer).takeRetainedValue().run()
        return nil
      }, job.toOpaque())
    if failure != 0 {
      job.release()
      DispatchQueue(label: name).async(execute: body)
    }
  }
}
