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

  /// The whole file: RFC 5545 sections 3.4 and 3.6; its name and how often to ask for it anew as RFC
  /// 7986 sections 5.1 and 5.7 have them.
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
      CalendarTimeZone(
        zone: zone, start: start, end: max(start, now).advanced(by: Self.horizon))
    }
    .sorted { $0.zone.identifier < $1.zone.identifier }
  }

  /// nil for UTC, also where this system does not know the zone.
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
