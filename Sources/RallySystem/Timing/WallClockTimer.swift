import RallyWire

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
