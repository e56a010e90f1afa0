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
    lines += observance(
      Change(from: first, to: first), at: [time.advanced(by: .seconds(first))])
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
