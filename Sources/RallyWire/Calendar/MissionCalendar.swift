import FoundationEssentials
import RallyText

/// Missions as iCalendar events (RFC 5545).
///
/// A mission has the same UID in every file, so that a newer file updates its event. A series is one
/// event with its rule. A place is written as exactly as the reader's record has it, and people are
/// left out.
public struct MissionCalendar: Sendable {
  /// How many open missions are written, those that end first.
  public static let openLimit = 500
  /// How many missions that are over are written, those that were over last.
  public static let doneLimit = 200
  /// Offsets of time zones are written up to so long after now.
  private static let horizon = Duration.seconds(10 * 366 * 86_400)

  private let missions: [MissionRecord]
  private let now: WireTime

  /// - Parameters:
  ///   - missions: With the reader's own membership: the event is tentative unless the reader has
  ///     joined.
  ///   - now: Written as `DTSTAMP`.
  public init(_ missions: [MissionRecord], now: WireTime) {
    self.missions = missions
    self.now = now
  }

  /// The whole file: RFC 5545 sections 3.4 and 3.6. Its name and how often to ask for it anew as
  /// RFC 7986 sections 5.1 and 5.7 have them.
  public var text: String {
    CalendarText.text(
      [
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Rally//Rally//EN", "CALSCALE:GREGORIAN",
        "NAME:Rally", "X-WR-CALNAME:Rally", "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
      ] + zones.flatMap(\.lines) + missions.flatMap(event) + ["END:VCALENDAR"])
  }

  /// Each zone that a series names, once: RFC 5545 section 3.2.19.
  private var zones: [CalendarTimeZone] {
    var starts: [LocalTimeZone: WireTime] = [:]
    for series in missions.compactMap(\.series) {
      guard let zone = Self.zone(of: series) else { continue }
      starts[zone] = min(starts[zone] ?? series.startsAt, series.startsAt)
    }
    return starts.map { zone, start in
      CalendarTimeZone(zone: zone, start: start, end: max(start, now).advanced(by: Self.horizon))
    }
    .sorted { $0.zone.identifier < $1.zone.identifier }
  }

  /// nil for UTC, also where this system does not have the zone.
  private static func zone(of series: MissionSeries) -> LocalTimeZone? {
    let zone = series.zone
    return zone.identifier == LocalTimeZone.utc.identifier ? nil : zone
  }

  // MARK: - Events

  /// A VEVENT: RFC 5545 section 3.6.1. UID is 3.8.4.7, SEQUENCE 3.8.7.4, URL 3.8.4.6.
  private func event(_ mission: MissionRecord) -> [String] {
    var lines = [
      "BEGIN:VEVENT", "UID:\(mission.id.wireText)@rally", "DTSTAMP:\(CalendarText.utc(now))",
      "CREATED:\(CalendarText.utc(mission.createdAt))",
      "SEQUENCE:\(min(max(0, mission.version), Int64(Int32.max)))",
    ]
    lines += times(mission)
    lines.append("SUMMARY:\(CalendarText.escaped(mission.title))")
    if let description = description(mission) { lines.append("DESCRIPTION:\(description)") }
    lines += place(mission)
    lines.append("STATUS:\(status(mission))")
    lines.append("URL:\(MissionLink(id: mission.id))")
    lines.append("END:VEVENT")
    return lines
  }

  /// DTSTART and DTEND: RFC 5545 sections 3.8.2.4 and 3.8.2.2.
  private func times(_ mission: MissionRecord) -> [String] {
    if let series = mission.series { return times(of: series, mission) }
    return ["DTSTART:\(CalendarText.utc(mission.startsAt))"]
      + (mission.endsAt.map { ["DTEND:\(CalendarText.utc($0))"] } ?? [])
  }

  /// DTSTART of the first occurrence, DURATION, RRULE and EXDATE: RFC 5545 sections 3.8.2.4, 3.8.2.5,
  /// 3.8.5.3 and 3.8.5.1. A length, since all occurrences last equally long, and a local time of an
  /// end that comes twice would be the earlier one (3.3.5).
  private func times(of series: MissionSeries, _ mission: MissionRecord) -> [String] {
    let zone = Self.zone(of: series)
    func property(_ name: String, _ times: [WireTime]) -> String {
      guard let zone else { return "\(name):\(times.map(CalendarText.utc).joined(separator: ","))" }
      // The DATE-TIME with its zone: 3.3.5, form 3. One that the clocks skip stands as they skip it.
      let values = times.map { CalendarText.local(series.nominal($0)) }.joined(separator: ",")
      return "\(name);TZID=\(zone.identifier):\(values)"
    }
    var lines = [property("DTSTART", [series.startsAt])]
    if let length = mission.endsAt?.since(mission.startsAt) {
      lines.append("DURATION:\(CalendarText.duration(length))")
    }
    lines.append("RRULE:\(RecurrenceRule(series, until: lastStart(of: series, mission)))")
    if !series.skipped.isEmpty { lines.append(property("EXDATE", series.skipped)) }
    return lines
  }

  /// A cancelled series has the occurrences that have been.
  private func lastStart(of series: MissionSeries, _ mission: MissionRecord) -> WireTime? {
    guard hasBeenCancelledLater(mission) else { return series.until }
    return mission.startsAt.advanced(by: .seconds(-1))
  }

  private func hasBeenCancelledLater(_ mission: MissionRecord) -> Bool {
    guard mission.state == .cancelled, let series = mission.series else { return false }
    return series.startsAt < mission.startsAt
  }

  /// What it is about, and its objectives: RFC 5545 section 3.8.1.5.
  private func description(_ mission: MissionRecord) -> String? {
    let tasks = mission.objectives.map { objective in
      objective.count > 1 ? "- \(objective.title) x\(objective.count)" : "- \(objective.title)"
    }
    let text = ([mission.brief].filter { !$0.isEmpty } + tasks).joined(separator: "\n")
    return text.isEmpty ? nil : CalendarText.escaped(text)
  }

  /// LOCATION and GEO: RFC 5545 sections 3.8.1.7 and 3.8.1.6.
  private func place(_ mission: MissionRecord) -> [String] {
    guard let centre = mission.centre else { return [] }
    let (latitude, longitude) = (centre.latitude, centre.longitude)
    return [
      "LOCATION:\(CalendarText.escaped(centre.description))",
      "GEO:\(latitude.text(decimals: 6));\(longitude.text(decimals: 6))",
    ]
  }

  /// RFC 5545 section 3.8.1.11.
  private func status(_ mission: MissionRecord) -> String {
    if mission.state == .cancelled, !hasBeenCancelledLater(mission) { return "CANCELLED" }
    return mission.myState == .joined ? "CONFIRMED" : "TENTATIVE"
  }
}

/// How a series repeats: RFC 5545 section 3.3.10.
struct RecurrenceRule: CustomStringConvertible {
  let description: String

  /// - Parameter until: The last moment at which an occurrence may start; nil for no end.
  init(_ series: MissionSeries, until: WireTime?) {
    var parts =
      switch series.repeats {
      case .daily: ["FREQ=DAILY"]
      case .weekly: ["FREQ=WEEKLY"]
      case .fortnightly: ["FREQ=WEEKLY", "INTERVAL=2"]
      case .monthly: ["FREQ=MONTHLY"]
      }
    let day = series.anchorDay
    if series.repeats == .monthly, day > 28 {
      // A day that a month does not have would leave the month out: it is the last of these days.
      let days = (28...day).map(String.init).joined(separator: ",")
      parts += ["BYMONTHDAY=\(days)", "BYSETPOS=-1"]
    }
    if let until { parts.append("UNTIL=\(CalendarText.utc(until))") }
    description = parts.joined(separator: ";")
  }
}

/// Content lines of iCalendar (RFC 5545).
enum CalendarText {
  /// Lines folded and ended by CRLF: RFC 5545 section 3.1.
  static func text(_ lines: [String]) -> String { lines.map { folded($0) + "\r\n" }.joined() }

  /// Folds a content line to at most 75 octets without splitting a UTF-8 sequence: RFC 5545
  /// section 3.1.
  static func folded(_ line: String) -> String {
    var folded = ""
    var octets = 0
    for scalar in line.unicodeScalars {
      let width = UTF8.width(scalar)
      if octets + width > 75 {
        folded += "\r\n "
        octets = 1
      }
      folded.unicodeScalars.append(scalar)
      octets += width
    }
    return folded
  }

  /// Escapes a TEXT value, and leaves out control characters, which it cannot have: RFC 5545
  /// section 3.3.11.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", ";", ",": escaped += "\\\(scalar)"
      case "\n": escaped += "\\n"
      case _ where scalar.properties.generalCategory == .control: continue
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// `20260501T180000Z`, form 2 of DATE-TIME, without fractions of a second: RFC 5545 section 3.3.5.
  static func utc(_ time: WireTime) -> String { digits(time) + "Z" }

  /// `20260501T200000`, form 1 or 3 of DATE-TIME: RFC 5545 section 3.3.5.
  ///
  /// - Parameter wall: A local time that stands there as if it were UTC.
  static func local(_ wall: WireTime) -> String { digits(wall) }

  /// `PT4H30M`, a DURATION of exact time without fractions of a second: RFC 5545 section 3.3.6.
  static func duration(_ length: Duration) -> String {
    let seconds = max(0, length.components.seconds)
    let parts = [(seconds / 3600, "H"), (seconds / 60 % 60, "M"), (seconds % 60, "S")]
    // Between two parts there is none left out.
    guard let first = parts.firstIndex(where: { $0.0 != 0 }),
      let last = parts.lastIndex(where: { $0.0 != 0 })
    else { return "PT0S" }
    return "PT" + parts[first...last].map { "\($0)\($1)" }.joined()
  }

  private static func digits(_ time: WireTime) -> String {
    time.zulu.prefix(19).filter { $0 != "-" && $0 != ":" }
  }

  /// `+0530`, with seconds where there are any: RFC 5545 section 3.3.14.
  static func offset(_ seconds: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let size = abs(seconds)
    let rest = size % 60 == 0 ? "" : two(size % 60)
    return (seconds < 0 ? "-" : "+") + two(size / 3600) + two(size / 60 % 60) + rest
  }
}

/// A time zone as an iCalendar component, by whose offsets a series is read.
struct CalendarTimeZone {
  let zone: LocalTimeZone
  /// From before this moment on the offsets are right.
  let start: WireTime
  /// Up to this moment.
  let end: WireTime

  /// Offsets ahead of UTC in seconds, before a change of the clocks and after it.
  private struct Change: Hashable {
    var from, to: Int
  }

  /// A VTIMEZONE: RFC 5545 section 3.6.5. Changes between the same two offsets are one observance
  /// with all its dates, which is right for rules of any kind.
  var lines: [String] {
    var known: [Change] = []
    var times: [Change: [WireTime]] = [:]
    var time = start.advanced(by: .seconds(-400 * 86_400))
    let first = zone.secondsFromUTC(at: time)
    var lines = ["BEGIN:VTIMEZONE", "TZID:\(zone.identifier)"]
    lines += observance(Change(from: first, to: first), at: [time.advanced(by: .seconds(first))])
    while let next = zone.nextTransition(after: time), next <= end {
      let change = Change(
        from: zone.secondsFromUTC(at: next.advanced(by: .microseconds(-1))),
        to: zone.secondsFromUTC(at: next))
      if times[change] == nil { known.append(change) }
      times[change, default: []].append(next.advanced(by: .seconds(change.from)))
      time = next
    }
    for change in known { lines += observance(change, at: times[change] ?? []) }
    return lines + ["END:VTIMEZONE"]
  }

  /// - Parameter walls: When it begins, by the clocks before it: RFC 5545 section 3.6.5, "DTSTART".
  private func observance(_ change: Change, at walls: [WireTime]) -> [String] {
    guard let first = walls.first else { return [] }
    let name = change.to > change.from ? "DAYLIGHT" : "STANDARD"
    var lines = ["BEGIN:\(name)", "DTSTART:\(CalendarText.local(first))"]
    if walls.count > 1 {
      lines.append("RDATE:" + walls.dropFirst().map(CalendarText.local).joined(separator: ","))
    }
    return lines + [
      "TZOFFSETFROM:\(CalendarText.offset(change.from))",
      "TZOFFSETTO:\(CalendarText.offset(change.to))", "END:\(name)",
    ]
  }
}
