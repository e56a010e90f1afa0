import CTimerFD
import Dispatch
import Glibc
import RallyWire
import Synchronization

/// Calls a function once at a wall-clock time, also when the clock is set meanwhile or the machine
/// sleeps.
///
/// The call can come a little late: callers must also check the time themselves.
@MainActor
package final class WallClockTimer {
  private let clockChanges: ClockChanges
  private let clock: @Sendable () -> WireTime
  private var time: WireTime?
  /// How far the caller's clock is ahead of this one's.
  private var lead = Duration.zero
  private var action: () -> Void = {}
  private var task: Task<Void, Never>?
  private var subscription: ClockChanges.Subscription?

  /// - Parameter clock: The wall clock that may be set.
  package init(
    clockChanges: ClockChanges = .shared, clock: @escaping @Sendable () -> WireTime = { .now }
  ) {
    self.clockChanges = clockChanges
    self.clock = clock
  }

  deinit { task?.cancel() }

  /// Setting the same time again changes nothing; nil cancels the call.
  package func set(_ time: WireTime?, now: WireTime, action: @escaping () -> Void) {
    guard time != self.time else { return }
    self.time = time
    self.action = action
    lead = now.since(clock())
    if time == nil {
      subscription = nil
    } else if subscription == nil {
      subscription = clockChanges.subscribe { [weak self] in
        Task { @MainActor [weak self] in self?.wait() }
      }
    }
    wait()
  }

  /// What is left until the time by the clock as it is now.
  private var rest: Duration? { time?.since(clock().advanced(by: lead)) }

  private func wait() {
    task?.cancel()
    task = rest.map { first in
      Task { [weak self] in
        var rest = first
        // Clocks go differently fast; a second more or less is none that was set.
        repeat {
          guard (try? await DispatchSleep.for(rest)) != nil, let left = self?.rest else { return }
          rest = left
        } while rest > .seconds(1)
        self?.fire()
      }
    }
  }

  private func fire() {
    time = nil
    subscription = nil
    action()
  }
}

/// Tells that the wall clock was set, or went on while the machine slept; nothing runs in between.
///
/// A process has one timer for that, whose end is never reached: the kernel cancels it when the
/// clock jumps (`TFD_TIMER_CANCEL_ON_SET`).
package final class ClockChanges: Sendable {
  package static let shared = ClockChanges(timer: rally_timer_make())

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

  /// - Parameter timer: A descriptor of `rally_timer_make`, which is closed here; negative if there
  ///   is none, and then only `notify` reports a change.
  init(timer: Int32 = -1) {
    self.timer = timer
    guard timer >= 0, rally_timer_watch(timer) == 0 else { return }
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
    _ = rally_timer_watch(timer)
    notify()
  }
}
