import RallyWire

/// Calls a function once at a wall-clock time.
///
/// Its timer pauses while the machine sleeps, so the call can be late: callers must also check the
/// time themselves.
@MainActor
final class WallClockTimer {
  private var time: WireTime?
  private var task: Task<Void, Never>?

  deinit { task?.cancel() }

  /// Setting the same time again changes nothing; nil cancels the call.
  func set(_ time: WireTime?, now: WireTime, action: @escaping () -> Void) {
    guard time != self.time else { return }
    self.time = time
    task?.cancel()
    task = time.map { time in
      Task { [weak self] in
        guard (try? await DispatchSleep.for(time.since(now))) != nil else { return }
        self?.time = nil
        action()
      }
    }
  }
}
