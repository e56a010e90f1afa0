import RallyText
import RallyWire

/// Exports missions as iCalendar events (RFC 5545).
///
/// Each event has a stable UID, so importing a newer file updates the events. A mission without an
/// end becomes an event without `DTEND`.
public enum MissionCalendar {
  /// - Parameters:
  ///   - missions: With the reader's own membership: the event is tentative unless the reader has
  ///     joined.
  ///   - now: Written as `DTSTAMP`.
  public static func text(_ missions: [MissionRecord], now: WireTime) -> String {
    var lines = [
      "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Rally//Rally//EN", "CALSCALE:GREGORIAN",
    ]
    for mission in missions { lines += event(mission, now: now) }
    lines.append("END:VCALENDAR")
    return lines.map { folded($0) + "\r\n" }.joined()
  }

  private static func event(_ mission: MissionRecord, now: WireTime) -> [String] {
    var lines = [
      "BEGIN:VEVENT", "UID:\(mission.id.wireText)@rally", "DTSTAMP:\(time(now))",
      "CREATED:\(time(mission.createdAt))",
      "SEQUENCE:\(min(max(0, mission.version), Int64(Int32.max)))",
      "DTSTART:\(time(mission.startsAt))",
    ]
    if let end = mission.endsAt { lines.append("DTEND:\(time(end))") }
    lines.append("SUMMARY:\(escaped(mission.title))")
    let tasks = mission.objectives.map { objective in
      objective.count > 1 ? "- \(objective.title) x\(objective.count)" : "- \(objective.title)"
    }
    let description = ([mission.brief].filter { !$0.isEmpty } + tasks).joined(separator: "\n")
    if !description.isEmpty { lines.append("DESCRIPTION:\(escaped(description))") }
    if let centre = mission.centre {
      lines.append("LOCATION:\(escaped(centre.description))")
      let (latitude, longitude) = (centre.latitude, centre.longitude)
      lines.append("GEO:\(latitude.text(decimals: 6));\(longitude.text(decimals: 6))")
    }
    lines.append("STATUS:\(status(mission))")
    lines.append("END:VEVENT")
    return lines
  }

  private static func status(_ mission: MissionRecord) -> String {
    if mission.state == .cancelled { return "CANCELLED" }
    return mission.myState == .joined ? "CONFIRMED" : "TENTATIVE"
  }

  /// `20260501T180000Z`: UTC, without fractions of a second.
  static func time(_ time: WireTime) -> String {
    time.zulu.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
  }

  /// Escapes a TEXT value (RFC 5545, section 3.3.11).
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", ";", ",": escaped += "\\\(scalar)"
      case "\n": escaped += "\\n"
      case "\r": continue
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Folds a content line to at most 75 octets (RFC 5545, section 3.1) without splitting a UTF-8
  /// sequence.
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
}
