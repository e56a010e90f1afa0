import CTimerFD
import Dispatch
import Glibc
import Synchronization

/// Tells that the wall clock was set, or went on while the machine slept; nothing runs in between.
///
/// A process has one timer for that, whose end is never reached: the kernel cancels it when the
/// clock jumps (`TFD_TIMER_CANCEL_ON_SET`).
package final class ClockChanges: Sendable {
  package static let shared = ClockChanges(timer: ctf_make())

  /// Ends a subscription with its last reference.
  final class Subscription: Sendable {
    private let id: Int
    private let clockChanges: ClockChanges

    fileprivate init(id: Int, clockChanges: ClockChanges) {
      self.id = id
      self.clockChanges = clockChanges
    }

    deinit { clockChanges.state.withLock { $0.subscribers[id] = nil } }
  }

  private struct State {
    var lastID = 0
    var subscribers: [Int: @Sendable () -> Void] = [:]
    var source: (any DispatchSourceRead)?
  }

  private let timer: Int32
  private let state = Mutex(State())

  /// - Parameter timer: A descriptor of `ctf_make`, which is closed here; negative if there is none,
  ///   and then only `notify` tells of a change.
  init(timer: Int32 = -1) {
    self.timer = timer
    guard timer >= 0, ctf_watch(timer) == 0 else { return }
    state.withLock { $0.source = startSource() }
  }

  deinit { state.withLock { $0.source?.cancel() } }

  /// - Parameter onChange: Called on a dispatch thread.
  func subscribe(_ onChange: @escaping @Sendable () -> Void) -> Subscription {
    let id = state.withLock { state in
      state.lastID += 1
      state.subscribers[state.lastID] = onChange
      return state.lastID
    }
    return Subscription(id: id, clockChanges: self)
  }

  /// Calls all subscribers.
  func notify() {
    for call in state.withLock({ Array($0.subscribers.values) }) { call() }
  }

  private func startSource() -> any DispatchSourceRead {
    let source = DispatchSource.makeReadSource(
      fileDescriptor: timer, queue: DispatchQueue(label: "rally.clock", qos: .utility))
    source.setEventHandler { [weak self] in self?.wasSet() }
    source.setCancelHandler { [timer] in close(timer) }
    source.activate()
    return source
  }

  private func wasSet() {
    var count: UInt64 = 0
    // Fails with ECANCELED; the timer has to be armed anew.
    _ = read(timer, &count, MemoryLayout.size(ofValue: count))
    _ = ctf_watch(timer)
    notify()
  }
}
