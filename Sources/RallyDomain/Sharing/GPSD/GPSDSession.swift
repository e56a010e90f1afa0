import RallyWire

/// One conversation with gpsd: which commands to send, when to look again, and what follows from
/// its messages. A value without a socket or a clock, so that tests need neither.
struct GPSDSession {
  enum Action: Equatable {
    case report(LocationEvent)
    /// Send a command.
    case send(String)
    /// Call `woke` after this time; replaces an earlier one.
    case wake(after: Duration)
  }

  /// Without a report for this long, the last fix is stale.
  static let silence = Duration.seconds(10)
  /// How long a receiver that was switched on has for its first fix, at a pace with rests.
  static let patience = Duration.seconds(30)
  /// A receiver's clock that differs more from this machine's is wrong, or its report is old.
  static let clockTolerance = Duration.seconds(30)
  /// A polled report that is older was measured before the rest.
  private static let pollTolerance = Duration.seconds(5)

  static let watch = #"?WATCH={"enable":true,"json":true};"#
  static let unwatch = #"?WATCH={"enable":false};"#
  static let poll = "?POLL;"

  private let pace: LocationPace
  private var devices: Set<String> = []
  private var filter = FixFilter()
  private var state: LocationSourceState?
  /// Whether WATCH is on.
  private var isWatching = false
  /// Whether gpsd has greeted.
  private(set) var isGreeted = false

  init(pace: LocationPace) { self.pace = pace }

  /// The connection stands.
  mutating func connected() -> [Action] { measure() }

  /// A line of gpsd.
  ///
  /// - Parameter now: When it arrived.
  mutating func receive(_ line: [UInt8], at now: WireTime) -> [Action] {
    switch GPSDMessage(line) {
    case .version(let major, let release):
      isGreeted = true
      guard major == 3 else {
        let known = release.prefix(16).filter { $0.isLetter || $0.isNumber || $0 == "." }
        return tell(.unavailable("gpsd \(known) speaks another protocol than version 3"))
      }
      return []
    case .devices(let paths):
      devices = Set(paths.prefix(64))
      return lookAtDevices()
    case .device(let path, let isActive):
      if isActive, devices.count < 64 { devices.insert(path) } else { devices.remove(path) }
      return lookAtDevices()
    case .satellites(let used, let seen):
      guard case .searching = state else { return [] }
      return tell(.searching("no fix yet, \(used) of \(seen) satellites used"))
    case .report(let report): return take(report, at: now)
    case .poll(let reports, let time):
      guard isWatching, case .every = pace else { return [] }
      for var report in reports where report.hasFix {
        guard let measured = report.time, let time,
          (.zero...Self.pollTolerance).contains(time.since(measured))
        else { continue }
        // A poll may fall between two sentences of the receiver: velocity is not consistent then.
        report.speed = nil
        report.course = nil
        return take(report, at: now)
      }
      return []
    case .other, nil: return []
    }
  }

  /// The time of the last `wake` is over.
  mutating func woke() -> [Action] {
    guard case .every(let interval) = pace else {
      return tell(
        .unavailable(
          devices.isEmpty ? "gpsd has no receiver" : "gpsd has reported nothing for 10 s"))
    }
    guard isWatching else { return measure() }
    return tell(
      .unavailable(
        devices.isEmpty
          ? "gpsd has no receiver"
          : "no fix within \(Self.patience.components.seconds) s")) + rest(interval)
  }

  private mutating func measure() -> [Action] {
    isWatching = true
    return switch pace {
    case .continuous: [.send(Self.watch), .wake(after: Self.silence)]
    case .every: [.send(Self.watch), .send(Self.poll), .wake(after: Self.patience)]
    }
  }

  private mutating func rest(_ interval: Duration) -> [Action] {
    isWatching = false
    return [.send(Self.unwatch), .wake(after: interval)]
  }

  private mutating func lookAtDevices() -> [Action] {
    // The list that answers the end of a watch tells nothing new.
    guard isWatching else { return [] }
    if devices.isEmpty { return tell(.unavailable("gpsd has no receiver")) }
    switch state {
    case .running, .paused, .searching: return []
    default: return tell(.searching("no fix yet"))
    }
  }

  private mutating func take(_ report: GPSDMessage.Report, at now: WireTime) -> [Action] {
    guard isWatching else { return [] }
    let later: [Action] = pace == .continuous ? [.wake(after: Self.silence)] : []
    guard report.hasFix, let coordinate = report.coordinate else {
      if case .searching = state { return later }
      return tell(.searching("no fix yet")) + later
    }
    // gpsd reports at once, so that a far time is that of a wrong clock, or of a recording.
    let time = report.time.flatMap { time in
      let skew = now.since(time)
      return max(skew, .zero - skew) <= Self.clockTolerance ? time : nil
    }
    let fix = LocationFix(
      coordinate: coordinate, accuracyMetres: report.accuracyMetres, speed: report.speed,
      course: report.course, recordedAt: min(time ?? now, now), source: Self.name)
    let passes = filter.passes(fix, at: now)
    switch pace {
    case .continuous:
      // After a silence the same place is news.
      let isBack = state != .running
      return tell(.running) + (passes || isBack ? [.report(.fix(fix))] : []) + later
    case .every(let interval):
      return tell(.paused("measures every \(interval.components.seconds) s"))
        + [.report(.fix(fix))] + rest(interval)
    }
  }

  private mutating func tell(_ state: LocationSourceState) -> [Action] {
    guard state != self.state else { return [] }
    self.state = state
    return [.report(.state(state))]
  }

  static let name = "gpsd"
}
