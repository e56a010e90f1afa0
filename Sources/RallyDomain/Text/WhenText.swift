import RallySystem
import RallyText
import RallyWire

/// Parses and formats times in one time zone.
///
/// Accepts `now`, `19:40` (the next one), `midnight`, `today 19:40`, `tomorrow 9:00`, `friday 9:00` (the next one),
/// `2026-12-01 18:30`, and durations: `in 2h`, `+90m`, `in 1d 6h`. A named day whose clocks skip the time is rejected; the
/// next such time is then the one of a later day. Of a time that occurs twice, the first that is not past is meant.
public struct WhenText: Hashable, Sendable {
  public let timeZone: LocalTimeZone
  /// The reference for `now`, `today` and `in …`.
  public let now: WireTime

  public init(timeZone: LocalTimeZone, now: WireTime) {
    self.timeZone = timeZone
    self.now = now
  }

  /// Parses a time; nil for an empty text.
  ///
  /// - Parameters:
  ///   - field: The field of the thrown problem.
  ///   - start: The reference for `+90m` and a bare time of day; nil for now.
  /// - Throws: `FieldProblem` that says what to type instead.
  public func parse(
    _ text: String, field: FieldProblem.Field, after start: WireTime? = nil
  ) throws(FieldProblem) -> WireTime? {
    let text = text.trimmed.lowercased()
    if text.isEmpty { return nil }
    if text == "now" { return now }
    if text == Self.midnight { return begin(ofDay: day(of: start ?? now).advanced(by: Self.day)) }
    if text.hasPrefix("in ") { return now.advanced(by: try span(text.dropFirst(3), field)) }
    if text.hasPrefix("+") {
      return (start ?? now).advanced(by: try span(text.dropFirst(), field))
    }
    let words = text.split { $0 == " " || $0 == "t" && text.first?.isNumber == true }
    let clock = words.last.flatMap(Clock.init)
    switch (words.count, clock) {
    case (1, let clock?): return try next(clock, after: start ?? now, field)
    case (2, let clock?):
      guard let day = day(words[0]) else { throw Self.problem(field) }
      if Self.weekday(words[0]) != nil, day == self.day(of: now) {
        if let moment = moments(day, clock).first(where: { $0 > now }) { return moment }
        return try moment(day.advanced(by: Self.day * 7), clock, field)
      }
      return try moment(day, clock, field)
    case (1, nil) where day(words[0]) != nil:
      throw FieldProblem(field: field, advice: "Add a time of day: \(text) 18:30.")
    default: throw Self.problem(field)
    }
  }

  /// Formats a time as `2026-12-01 18:30`, which `parse` reads.
  public func text(of time: WireTime) -> String {
    let local = civil(time).description
    return "\(local.prefix(10)) \(local.dropFirst(11).prefix(5))"
  }

  /// Formats a time as people say it: `18:30` on this day, `midnight` at its end,
  /// `tomorrow 18:30`, `2026-12-01 18:30`; `parse` reads it as long as it is not past.
  public func words(of time: WireTime) -> String {
    let text = text(of: time)
    let today = civil(now)
    if text.hasPrefix(today.description.prefix(10)) { return String(text.dropFirst(11)) }
    let tomorrow = today.advanced(by: .seconds(86_400)).description.prefix(10)
    guard text.hasPrefix(tomorrow) else { return text }
    let clock = text.dropFirst(11)
    return clock == "00:00" ? Self.midnight : "tomorrow \(clock)"
  }

  /// Formats an end within a week by its day: `Friday 24:00`, `Friday 18:30`; others as `words` does.
  public func words(ofEnd time: WireTime) -> String {
    let words = words(of: time)
    let ahead = time.since(now)
    // Longer than `tomorrow 18:30` is the date alone.
    guard words == text(of: time), .zero..<Duration.seconds(7 * 86_400) ~= ahead else {
      return words
    }
    let local = LocalMinute(time, in: timeZone)
    return local.minute == 0
      ? "\(Self.weekdays[(local.day + 6) % 7]) 24:00"
      : "\(Self.weekdays[local.day]) \(LocalMinute.text(local.minute))"
  }

  /// The end of a day that is named without a time of day: `today`, `tomorrow`, `friday` (also this
  /// one), `2026-12-01`; nil for other text.
  func end(ofDay text: String) -> WireTime? {
    day(text[...]).map { begin(ofDay: $0.advanced(by: Self.day)) }
  }

  /// From Monday on, as `LocalMinute` counts them.
  package static let weekdays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]

  /// The number of `friday`, `fri`; nil for other text.
  private static func weekday(_ word: Substring) -> Int? {
    word.count < 3 ? nil : weekdays.firstIndex { $0.lowercased().hasPrefix(word) }
  }

  private static let midnight = "midnight"
  private static let day = Duration.seconds(86_400)

  private static func problem(_ field: FieldProblem.Field) -> FieldProblem {
    FieldProblem(
      field: field,
      advice: "Type a time like 19:40, tomorrow 9:00, 2026-12-01 18:30 or in 2h.")
  }

  // MARK: - Spans

  private static let units: [(names: [String], seconds: Int64)] = [
    (["m", "min", "mins", "minute", "minutes"], 60), (["h", "hour", "hours"], 3600),
    (["d", "day", "days"], 86_400), (["w", "week", "weeks"], 604_800),
  ]

  /// Parses numbers with units: `2h`, `1h30m`, `1d 6h`, `3 days`.
  private func span(
    _ text: Substring, _ field: FieldProblem.Field
  ) throws(FieldProblem) -> Duration {
    let problem = FieldProblem(
      field: field, advice: "Type a span like 90m, 2h, 1h30m or 3d.")
    var rest = text.filter { $0 != " " }[...]
    var total: Int64 = 0
    guard !rest.isEmpty else { throw problem }
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      let unit = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(unit.count)
      guard digits.count <= 5, let number = Int64(digits),
        let known = Self.units.first(where: { $0.names.contains(String(unit)) })
      else { throw problem }
      total += number * known.seconds
    }
    // 100 years: longer than any mission, and far from overflow.
    guard total <= 100 * 366 * 86_400 else { throw problem }
    return .seconds(total)
  }

  // MARK: - The calendar

  /// A time of day, such as `9:00`, in minutes after midnight.
  private struct Clock {
    let minutes: Int64

    init(minutes: Int64) { self.minutes = minutes }

    init?(_ text: Substring) {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
        text.allSatisfy({ $0 == ":" || $0.isASCII && $0.isNumber }),
        let hour = Int64(parts[0]), let minute = Int64(parts[1]), hour < 24, minute < 60
      else { return nil }
      minutes = hour * 60 + minute
    }

    var text: String {
      let minute = minutes % 60
      return "\(minutes / 60):\(minute < 10 ? "0" : "")\(minute)"
    }
  }

  /// The local date and time at this moment, represented as if it were UTC.
  private func civil(_ time: WireTime) -> WireTime { timeZone.local(time) }

  /// Local midnight of the day of a moment, represented as if it were UTC.
  private func day(of time: WireTime) -> WireTime {
    let local = civil(time)
    let passed = local.microseconds.quotientAndRemainder(dividingBy: 86_400_000_000).remainder
    return local.advanced(by: .microseconds(-(passed < 0 ? passed + 86_400_000_000 : passed)))
  }

  /// Local midnight of a named day, represented as if it were UTC.
  private func day(_ word: Substring) -> WireTime? {
    let today = day(of: now)
    switch word {
    case "today": return today
    case "tomorrow": return today.advanced(by: Self.day)
    case let name where Self.weekday(name) != nil:
      let ahead = ((Self.weekday(name) ?? 0) - LocalMinute(now, in: timeZone).day + 7) % 7
      return today.advanced(by: Self.day * ahead)
    default: return word.count == 10 ? WireTime("\(word)T00:00:00Z") : nil
    }
  }

  /// The first moment of a day; where the clocks skip midnight, that is 1:00.
  private func begin(ofDay day: WireTime) -> WireTime { timeZone.time(ofLocal: day) }

  /// The moments at which the clocks show this: none if they skip it, two if they go back over it.
  private func moments(_ day: WireTime, _ clock: Clock) -> [WireTime] {
    timeZone.times(ofLocal: day.advanced(by: .seconds(clock.minutes * 60)))
  }

  /// The moment of this local time; of two the first that is not past.
  private func moment(
    _ day: WireTime, _ clock: Clock, _ field: FieldProblem.Field
  ) throws(FieldProblem) -> WireTime {
    let moments = moments(day, clock)
    guard let first = moments.first else {
      throw FieldProblem(
        field: field,
        advice: "The clocks skip \(clock.text) on that day. Type another time.")
    }
    return moments.first { $0 > now } ?? first
  }

  /// The next moment after `start` with this local time of day.
  private func next(
    _ clock: Clock, after start: WireTime, _ field: FieldProblem.Field
  ) throws(FieldProblem) -> WireTime {
    let today = day(of: start)
    // Two days at most lack it: one whose clocks skip it, and this one, where it is past.
    for ahead in 0...2 {
      let moments = moments(today.advanced(by: Self.day * ahead), clock)
      if let moment = moments.first(where: { $0 > start }) { return moment }
    }
    throw Self.problem(field)
  }
}
