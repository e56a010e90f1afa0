import FoundationEssentials
import RallyText
import RallyWire

/// One conversation with gpsd: which commands to send, when to look again, and what follows from
/// its messages. A value without a socket or a clock, so that tests need neither.
struct GPSDSession {
  enum Action: Equatable {
    case report(LocationEvent)
    /// Send a command.
    case send(String)
    /// Call `woke` after this time, up to `tolerance` later; replaces an earlier one.
    case wake(after: Duration, tolerance: Duration = .zero)
  }

  /// Without a report, or an answer to a poll, for this long, the last fix is stale.
  static let silence = Duration.seconds(10)
  /// How long a receiver that was switched on has for its first fix, at a pace with rests.
  static let patience = Duration.seconds(30)
  /// A receiver's clock that differs more from this machine's is wrong, or its report is old.
  static let clockTolerance = Duration.seconds(30)
  /// How long the fix of one receiver waits for the others', at a pace with rests.
  static let othersPatience = Duration.seconds(2)
  /// A polled report that is older was measured before the rest.
  private static let pollTolerance = Duration.seconds(5)

  static let watch = #"?WATCH={"enable":true,"json":true};"#
  static let unwatch = #"?WATCH={"enable":false};"#
  /// Keeps the receiver on and reports nothing but the answers to polls.
  static let hush = #"?WATCH={"enable":true,"json":false};"#
  static let poll = "?POLL;"
  private static let pollLater = Action.wake(
    after: Stillness.interval, tolerance: Stillness.tolerance)

  private enum Mode: Equatable {
    /// gpsd sends every report.
    case watching
    /// The receiver rests until the next measurement, as the pace says.
    case idle
    /// The device stands still: gpsd is polled, and says nothing by itself.
    case still(isAsked: Bool)
  }

  private struct ReceiverFix {
    var device: String
    var fix: LocationFix
    /// By the receiver's clock.
    var measured: WireTime?
    var arrivedAt: WireTime
  }

  private let pace: LocationPace
  private var devices: Set<String> = []
  private var filter = FixFilter()
  private var state: LocationSourceState?
  private var mode = Mode.idle
  private var stillness = Stillness()
  /// The receiver's time of the last report that was taken.
  private var lastMeasured: WireTime?
  /// The last fixes, by the receivers' paths; without those that have none now.
  private var fixes: [String: ReceiverFix] = [:]
  /// The receivers that have reported since a measurement began.
  private var reporting: Set<String> = []
  /// Whether a fix waits for the other receivers.
  private var isWaiting = false
  /// The receiver whose fix was taken last.
  private var taken: String?
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
        return notify(.unavailable("gpsd \(known) speaks another protocol than version 3"))
      }
      return []
    case .devices(let paths):
      devices = Set(paths.prefix(64))
      return lookAtDevices()
    case .device(let path, let isActive):
      if isActive, devices.count < 64 {
        devices.insert(path)
      } else {
        devices.remove(path)
        fixes[path] = nil
      }
      return lookAtDevices()
    case .satellites(let used, let seen):
      guard case .searching = state else { return [] }
      return notify(.searching("no fix yet, \(used) of \(seen) satellites used"))
    case .report(let report): return take(report, at: now)
    case .poll(var reports, let time):
      for index in reports.indices {
        // A poll may fall between two sentences of the receiver: velocity is not consistent then.
        reports[index].speed = nil
        reports[index].course = nil
      }
      switch mode {
      case .still(isAsked: true): return lookWhileStill(reports, at: now)
      case .watching where pace != .continuous:
        let fresh = reports.filter { report in
          guard let measured = report.time, let time else { return false }
          return report.hasFix && (.zero...Self.pollTolerance).contains(time.since(measured))
        }
        guard !fresh.isEmpty else { return [] }
        for report in fresh { note(report, at: now) }
        return settle(at: now)
      case .watching, .idle, .still: return []
      }
    case .other, nil: return []
    }
  }

  /// The time of the last `wake` is over.
  mutating func woke() -> [Action] {
    guard case .every(let interval) = pace else {
      if mode == .still(isAsked: false) {
        mode = .still(isAsked: true)
        return [.send(Self.poll), .wake(after: Self.silence)]
      }
      let isStill = mode != .watching
      return notify(
        .unavailable(
          devices.isEmpty ? "gpsd has no receiver" : "gpsd has reported nothing for 10 s"))
        + (isStill ? measure() : [])
    }
    guard mode == .watching else { return measure() }
    guard fixes.isEmpty else { return settle(at: nil) }
    return notify(
      .unavailable(
        devices.isEmpty
          ? "gpsd has no receiver"
          : "no fix within \(Self.patience.components.seconds) s")) + rest(interval)
  }

  private mutating func measure() -> [Action] {
    mode = .watching
    switch pace {
    case .continuous: return [.send(Self.watch), .wake(after: Self.silence)]
    case .every:
      // Of this measurement only.
      (fixes, reporting, isWaiting) = ([:], [], false)
      return [.send(Self.watch), .send(Self.poll), .wake(after: Self.patience)]
    }
  }

  private mutating func rest(_ interval: Duration) -> [Action] {
    mode = .idle
    return [.send(Self.unwatch), .wake(after: interval)]
  }

  private mutating func lookAtDevices() -> [Action] {
    // The list that answers the end of a watch has nothing new.
    guard mode != .idle else { return [] }
    if devices.isEmpty { return notify(.unavailable("gpsd has no receiver")) }
    switch state {
    case .running, .paused, .searching: return []
    default: return notify(.searching("no fix yet"))
    }
  }

  private mutating func take(_ report: GPSDMessage.Report, at now: WireTime) -> [Action] {
    guard mode == .watching else { return [] }
    let later: [Action] = pace == .continuous ? [.wake(after: Self.silence)] : []
    note(report, at: now)
    // A report says something of its own receiver only.
    guard let best = best(at: now) else {
      if case .searching = state { return later }
      return notify(.searching("no fix yet")) + later
    }
    guard pace == .continuous else {
      if devices.count < 2 || devices.subtracting(reporting).isEmpty { return settle(at: now) }
      defer { isWaiting = true }
      return isWaiting ? [] : [.wake(after: Self.othersPatience)]
    }
    guard best.device == report.device else { return later }
    (taken, lastMeasured) = (best.device, best.measured)
    let fix = best.fix
    let passes = filter.passes(fix, at: now)
    // After a silence the same place is news.
    let isBack = state != .running
    let actions = notify(.running) + (passes || isBack ? [.report(.fix(fix))] : [])
    guard stillness.take(fix, at: now) else { return actions + later }
    mode = .still(isAsked: false)
    return actions + [.send(Self.hush), Self.pollLater]
  }

  /// Notes what a receiver has.
  private mutating func note(_ report: GPSDMessage.Report, at now: WireTime) {
    reporting.insert(report.device)
    let isRoom = fixes[report.device] != nil || fixes.count < 64
    fixes[report.device] = fix(from: report, at: now).flatMap {
      isRoom
        ? ReceiverFix(device: report.device, fix: $0, measured: report.time, arrivedAt: now) : nil
    }
  }

  /// The most accurate of the fixes that are not silent; of two that are equal, that of the receiver
  /// that was taken before.
  ///
  /// - Parameter now: Nil for all of this measurement.
  private func best(at now: WireTime?) -> ReceiverFix? {
    let fresh = fixes.values.filter { found in
      now.map { (.zero..<Self.silence).contains($0.since(found.arrivedAt)) } ?? true
    }
    return fresh.min {
      let (one, other) = ($0.fix.accuracyMetres ?? .infinity, $1.fix.accuracyMetres ?? .infinity)
      if one != other { return one < other }
      return $0.device == taken || ($1.device != taken && $0.device < $1.device)
    }
  }

  /// Ends a measurement with the best fix, at a pace with rests.
  private mutating func settle(at now: WireTime?) -> [Action] {
    guard case .every(let interval) = pace, let best = best(at: now) else { return [] }
    (taken, lastMeasured) = (best.device, best.measured)
    _ = filter.passes(best.fix, at: best.arrivedAt)
    return notify(.paused("measures every \(interval.components.seconds) s"))
      + [.report(.fix(best.fix))] + rest(interval)
  }

  /// Takes the answer to a poll of a device that stood still before. A movement is reported once gpsd
  /// reports it with its velocity.
  private mutating func lookWhileStill(
    _ reports: [GPSDMessage.Report], at now: WireTime
  ) -> [Action] {
    // The receiver still measures if its clock went on since the report before.
    fixes = [:]
    for report in reports
    where report.time != nil && (report.device != taken || report.time != lastMeasured) {
      note(report, at: now)
    }
    guard let best = best(at: now), stillness.take(best.fix, at: now) else { return measure() }
    let fix = best.fix
    mode = .still(isAsked: false)
    (taken, lastMeasured) = (best.device, best.measured)
    return (filter.passes(fix, at: now) ? [.report(.fix(fix))] : [])
      + [Self.pollLater]
  }

  /// - Returns: nil for a report without a fix.
  private func fix(from report: GPSDMessage.Report, at now: WireTime) -> LocationFix? {
    guard report.hasFix, let coordinate = report.coordinate else { return nil }
    // gpsd reports at once, so that a far time is that of a wrong clock, or of a recording.
    let time = report.time.flatMap { time in
      let skew = now.since(time)
      return max(skew, .zero - skew) <= Self.clockTolerance ? time : nil
    }
    return LocationFix(
      coordinate: coordinate, accuracyMetres: report.accuracyMetres, speed: report.speed,
      course: report.course, recordedAt: min(time ?? now, now), source: Self.name)
  }

  private mutating func notify(_ state: LocationSourceState) -> [Action] {
    guard state != self.state else { return [] }
    self.state = state
    return [.report(.state(state))]
  }

  static let name = "gpsd"
}

/// A message of gpsd's JSON protocol, as far as it is needed here
/// (https://gpsd.io/gpsd_json.html).
enum GPSDMessage: Equatable {
  case version(major: Int, release: String)
  /// The paths of the receivers.
  case devices([String])
  /// A receiver came or went.
  case device(String, isActive: Bool)
  case report(Report)
  case satellites(used: Int, seen: Int)
  /// The answer to `?POLL;`: the newest report of each receiver, and gpsd's clock.
  case poll([Report], at: WireTime?)
  /// A class that is not needed, or one that came later than this program.
  case other

  /// Time, position and velocity (TPV) of one receiver.
  struct Report: Equatable {
    /// The receiver's path; empty where gpsd does not name it.
    var device = ""
    /// 0 and 1: no fix; 2: without altitude; 3: with it.
    var mode: Int
    /// By the receiver's clock.
    var time: WireTime?
    var coordinate: Coordinate?
    /// Metres: the estimated error of the position, else the larger one of its two parts.
    var accuracyMetres: Double?
    /// Metres per second.
    var speed: Double?
    /// Degrees, 0..<360.
    var course: Double?

    /// Whether an error was said to be below 0, which is no measurement.
    var isInvalid = false

    var hasFix: Bool {
      mode >= 2 && !isInvalid && coordinate.map { !$0.isUnmeasured } ?? false
    }
  }

  /// - Returns: nil for what is no message of gpsd. Fields of a wrong type count as missing.
  init?(_ line: [UInt8]) {
    guard let fields = try? WireJSON.decode(JSONValue.self, from: Data(line)),
      let kind = fields["class"]?.string
    else { return nil }
    switch kind {
    case "VERSION":
      self = .version(
        major: Self.integer(fields["proto_major"]) ?? 0, release: fields["release"]?.string ?? ""
      )
    case "DEVICES":
      self = .devices(Self.objects(fields["devices"]).compactMap { $0["path"]?.string })
    case "DEVICE":
      guard let path = fields["path"]?.string else { return nil }
      // `activated` is a time, and 0 or missing once the receiver is gone.
      self = .device(path, isActive: fields["activated"]?.string != nil)
    case "TPV": self = .report(Report(fields))
    case "SKY":
      let satellites = Self.objects(fields["satellites"])
      let used = Self.integer(fields["uSat"]) ?? satellites.count { $0["used"]?.bool == true }
      let seen = Self.integer(fields["nSat"]) ?? satellites.count
      // A SKY without either has only the precision.
      guard fields["nSat"] != nil || fields["satellites"] != nil else {
        self = .other
        return
      }
      self = .satellites(used: min(max(0, used), 999), seen: min(max(0, seen), 999))
    case "POLL":
      self = .poll(
        Self.objects(fields["tpv"]).map(Report.init),
        at: fields["time"]?.string.flatMap { WireTime($0) })
    default: self = .other
    }
  }

  private static func objects(_ value: JSONValue?) -> [JSONValue] {
    (value?.array ?? []).filter { $0.object != nil }
  }

  fileprivate static func number(_ value: JSONValue?, in range: ClosedRange<Double>) -> Double? {
    let number: Double
    switch value {
    case .integer(let value): number = Double(value)
    case .number(let value): number = value
    default: return nil
    }
    return range.contains(number) ? number : nil
  }

  fileprivate static func integer(_ value: JSONValue?) -> Int? {
    number(value, in: -1_000_000...1_000_000).map { Int($0) }
  }
}

extension GPSDMessage.Report {
  /// Limits are those of `publish_locations`.
  fileprivate init(_ fields: JSONValue) {
    device = fields["device"]?.string ?? ""
    mode = GPSDMessage.integer(fields["mode"]) ?? 0
    time = fields["time"]?.string.flatMap { WireTime($0) }
    if let latitude = GPSDMessage.number(fields["lat"], in: -90...90),
      let longitude = GPSDMessage.number(fields["lon"], in: -180...180)
    {
      coordinate = Coordinate(latitude: latitude, longitude: longitude)
    }
    func metres(_ key: String) -> Double? {
      GPSDMessage.number(fields[key], in: 0...10_000_000)
    }
    accuracyMetres = metres("eph") ?? [metres("epx"), metres("epy")].compactMap(\.self).max()
    isInvalid = ["eph", "epx", "epy"].contains {
      GPSDMessage.number(fields[$0], in: -.greatestFiniteMagnitude...0).map { $0 < 0 } ?? false
    }
    speed = GPSDMessage.number(fields["speed"], in: 0...100_000)
    course = GPSDMessage.number(fields["track"], in: 0...360).map { $0 == 360 ? 0 : $0 }
  }
}
