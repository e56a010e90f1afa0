import Dispatch

/// Calls a function on the main thread while a descriptor is readable or its other end is closed.
@MainActor package final class MainReader {
  let descriptor: Int32
  /// The calls of `suspend` without one of `resume`.
  private var suspensions = 0
  private let work: @MainActor () -> Void
  /// Where no loop of ours serves the main thread.
  private var source: (any DispatchSourceRead)?

  /// - Parameter work: Must read, suspend or cancel, or it is called again at once.
  package init(_ descriptor: Int32, _ work: @escaping @MainActor () -> Void) {
    self.descriptor = descriptor
    self.work = work
    guard MainLoop.current == nil else {
      MainLoop.current?.add(self)
      return
    }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.run() } }
    source.resume()
    self.source = source
  }

  /// Whether the function is not called at present.
  var isSuspended: Bool { suspensions > 0 }

  func run() { work() }

  package func suspend() {
    suspensions += 1
    source?.suspend()
  }

  /// Ends one `suspend`; has no effect on a cancelled reader.
  package func resume() {
    guard isSuspended else { return }
    suspensions -= 1
    source?.resume()
  }

  package func cancel() {
    MainLoop.current?.remove(self)
    source?.cancel()
    // Dispatch ends the process when a suspended source is released.
    while isSuspended { resume() }
    source = nil
  }
}
