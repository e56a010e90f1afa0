import RallySystem
import RallyWire

extension MissionCollector.Candidate {
  /// How the mission repeats; its problems are added.
  ///
  /// An occurrence that is over gives way to the next one, so that a file of last month makes the
  /// series as it goes on.
  mutating func readSeries(now: WireTime) {
    guard let repeats else {
      if let repeatUntil { note(repeatUntil.line, "repeat_until needs repeat beside it.") }
      (monthDay, timeOfDay) = (nil, nil)
      return
    }
    if let timeZone, LocalTimeZone(identifier: timeZone.value) == nil {
      return note(timeZone.line, "time_zone is a name such as Europe/Lisbon.")
    }
    guard let ends = endsAt else {
      return note(repeats.line, "A mission that repeats needs ends_at.")
    }
    let start = startsAt?.value ?? now
    let length = ends.value.since(start)
    guard length <= repeats.value.longestOccurrence else {
      return note(ends.line, "It is to be over before the next one begins.")
    }
    if let repeatUntil, repeatUntil.value < start {
      return note(repeatUntil.line, "The repetition ends before the mission starts.")
    }
    let series = MissionSeries(
      repeats: repeats.value, startsAt: start, monthDay: monthDay?.value,
      timeOfDay: timeOfDay?.value, until: repeatUntil?.value,
      timeZone: timeZone?.value ?? LocalTimeZone.current.identifier)
    guard series.isConsistent else {
      return note(
        monthDay?.line ?? timeOfDay?.line ?? line,
        "repeat_day and repeat_time are those of starts_at, but where the month or the clocks "
          + "do not have them.")
    }
    var current = series.beginning(at: start)
    if length > .zero, ends.value <= now,
      let next = series.start(after: now.advanced(by: .zero - length))
    {
      current = series.beginning(at: next)
    }
    monthDay = current.monthDay.map { .init(value: $0, line: monthDay?.line ?? line) }
    timeOfDay = current.timeOfDay.map { .init(value: $0, line: timeOfDay?.line ?? line) }
    guard current.startsAt != start else { return }
    let next = current.startsAt
    startsAt = .init(value: next, line: startsAt?.line ?? line)
    endsAt = .init(value: next.advanced(by: length), line: ends.line)
  }

  private mutating func note(_ line: Int, _ sentence: String) {
    problems.append(ImportProblem(line: line, sentence))
  }
}
