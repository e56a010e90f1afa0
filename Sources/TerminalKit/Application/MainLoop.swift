import Dispatch
import Glibc
import RallyText
import RuntimeHooks

/// The main thread's loop in a program with an interface: one `poll` waits for Dispatch's main
/// queue, for readable descriptors and for timers.
///
/// Without it `dispatch_main` gives the main queue to worker threads. Each key then wakes a thread
/// that watches descriptors and one that does the work, which is created anew after five seconds
/// without work.
@MainActor package final class MainLoop {
  /// The loop that serves the main thread; nil where Dispatch does.
  package private(set) static var current: MainLoop?

  private struct Timer {
    let number: Int
    let deadline: ContinuousClock.Instant
    let work: @MainActor () -> Void
  }

  private var timers: [Timer] = []
  private var lastNumber = 0
  private var readers: [MainReader] = []

  private init() {}

  /// Takes over the main thread when the program's asynchronous `main` first suspends; call before.
  /// Dispatch goes on to serve the main queue where another loop is installed.
  package static func install() {
    guard current == nil else { return }
    let isInstalled = MainThread.serve {
      while true { MainLoop.current?.turn() }
    }
    if isInstalled { current = MainLoop() }
  }

  // MARK: Timers

  /// Calls `work` on the main thread, in no job, after a delay.
  ///
  /// - Returns: A number for `cancel`.
  func schedule(after delay: Duration, _ work: @escaping @MainActor () -> Void) -> Int {
    lastNumber += 1
    timers.append(Timer(number: lastNumber, deadline: .now + delay, work: work))
    return lastNumber
  }

  func cancel(_ number: Int) { timers.removeAll { $0.number == number } }

  private func runDueTimers() {
    let now = ContinuousClock.now
    let due = timers.filter { $0.deadline <= now }.sorted { $0.deadline < $1.deadline }
    guard !due.isEmpty else { return }
    timers.removeAll { $0.deadline <= now }
    for timer in due { timer.work() }
  }

  /// Milliseconds until the next timer, rounded up; −1 for no limit.
  private var timeout: Int32 {
    guard let next = timers.map(\.deadline).min() else { return -1 }
    let left = max(.zero, next - .now) / .milliseconds(1)
    return Int32(min(left.rounded(.up), Double(Int32.max)))
  }

  // MARK: Descriptors

  func add(_ reader: MainReader) { readers.append(reader) }

  func remove(_ reader: MainReader) { readers.removeAll { $0 === reader } }

  // MARK: Waiting

  /// Waits once, and does what is due then.
  private func turn() {
    let waiting = readers.filter { !$0.isSuspended }
    var descriptors = [pollfd(fd: MainThread.queueDescriptor, events: Int16(POLLIN), revents: 0)]
    descriptors += waiting.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    // Interrupted by a signal, nothing is ready: Dispatch reports signals through the queue.
    guard poll(&descriptors, nfds_t(descriptors.count), timeout) >= 0 else { return }
    for (reader, descriptor) in zip(waiting, descriptors.dropFirst())
    where descriptor.revents != 0 && !reader.isSuspended {
      reader.run()
    }
    runDueTimers()
    MainThread.runQueue()
  }
}

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

/// A one-shot, cancellable timer on the main actor.
///
/// Uses the main thread's own loop, or else a dispatch timer for the reason given at
/// `DispatchSleep`. The work runs as a main-actor job, so that `Task.immediate` inside of it starts
/// at once.
@MainActor package final class MainTimer {
  private var item: DispatchWorkItem?
  private var loopNumber: Int?
  private var number = 0

  package init() {}

  /// Schedules `work` and cancels what was scheduled before.
  package func schedule(after delay: Duration, _ work: @escaping @MainActor @Sendable () -> Void) {
    cancel()
    let mine = number
    let fire: @Sendable () -> Void = { [weak self] in
      Task { @MainActor in
        // It may have been cancelled since the timer fired.
        guard let self, self.number == mine else { return }
        work()
      }
    }
    if let loop = MainLoop.current {
      loopNumber = loop.schedule(after: delay, fire)
    } else {
      let item = DispatchWorkItem(block: fire)
      self.item = item
      DispatchQueue.main.asyncAfter(deadline: .now() + max(.zero, delay).inSeconds, execute: item)
    }
  }

  package func cancel() {
    number += 1
    item?.cancel()
    item = nil
    if let loopNumber { MainLoop.current?.cancel(loopNumber) }
    loopNumber = nil
  }
}
