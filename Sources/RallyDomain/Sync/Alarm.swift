import RallyWire

/// Rings once at a time of the wall clock.
///
/// The machine's sleep is not counted, so after it the alarm is late: what it announces must also
/// be seen by looking.
@MainActor
final class Alarm {
  private var time: WireTime?
  private var task: Task<Void, Never>?

  deinit { task?.cancel() }

  /// The same time again lets a set alarm go on; nil switches it off.
  func set(_ time: WireTime?, now: WireTime, ring: @escaping () -> Void) {
    guard time != self.time else { return }
    self.time = time
    task?.cancel()
    task = time.map { time in
      Task { [weak self] in
        guard (try? await DispatchSleep.for(time.since(now))) != nil else { return }
        self?.time = nil
        ring()
      }
    }
  }
}
