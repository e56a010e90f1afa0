/// How the clocks are changed in each year, as POSIX writes it in `TZ`: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct TimeZoneRule: Hashable, Sendable {
  /// Seconds ahead of UTC.
  private let standard: Int64
  /// In summer; nil if the clocks are never changed.
  private let summer: Summer?

  private struct Summer: Hashable, Sendable {
    /// Seconds ahead of UTC.
    var offset: Int64
    /// By the clock of winter, and by that of summer.
    var start, end: YearDay
  }

  /// A moment of each year.
  private struct YearDay: Hashable, Sendable {
    enum Day: Hashable {
      /// 1...365, with no 29 February.
      case julian(Int64)
      /// 0...365.
      case index(Int64)
      /// The week 5 is the last one; 0 for Sunday.
      case week(month: Int64, week: Int64, day: Int64)
    }
    var day: Day
    /// Seconds after midnight; less than 0 or more than a day for days beside it.
    var time: Int64

    /// Seconds since 1970 by the local clock.
    func seconds(in year: Int64) -> Int64 {
      let newYear = WireTime.days(fromYear: year, month: 1, day: 1)
      let days: Int64
      switch day {
      case .julian(let number):
        let isLeap = WireTime.days(fromYear: year + 1, month: 1, day: 1) - newYear == 366
        days = newYear + number - (isLeap && number >= 60 ? 0 : 1)
      case .index(let number): days = newYear + number
      case .week(let month, let week, let day):
        let first = WireTime.days(fromYear: year, month: month, day: 1)
        let next = WireTime.days(
          fromYear: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1)
        // 1970-01-01 was a Thursday.
        let weekday = ((first + 4) % 7 + 7) % 7
        var found = first + (day - weekday + 7) % 7 + (week - 1) * 7
        if found >= next { found -= 7 }
        days = found
      }
      return days * 86_400 + time
    }
  }

  /// Seconds ahead of UTC at a moment in seconds since 1970.
  func offset(at time: Int64) -> Int {
    guard let summer else { return Int(standard) }
    let (start, end) = changes(in: year(at: time), summer)
    let isSummer = start < end ? start <= time && time < end : !(end <= time && time < start)
    return Int(isSummer ? summer.offset : standard)
  }

  /// The next change; nil if there is none.
  func nextTransition(after time: Int64) -> Int64? {
    guard let summer else { return nil }
    let year = year(at: time)
    return [year - 1, year, year + 1].flatMap { year -> [Int64] in
      let (start, end) = changes(in: year, summer)
      return [start, end]
    }
    .filter { $0 > time && offset(at: $0) != offset(at: $0 - 1) }.min()
  }

  private func year(at time: Int64) -> Int64 {
    let local = time + standard
    let (days, rest) = local.quotientAndRemainder(dividingBy: 86_400)
    return WireTime.civil(fromDays: rest < 0 ? days - 1 : days).year
  }

  private func changes(in year: Int64, _ summer: Summer) -> (start: Int64, end: Int64) {
    (summer.start.seconds(in: year) - standard, summer.end.seconds(in: year) - summer.offset)
  }
}

extension TimeZoneRule {
  /// - Returns: nil for anything but a rule of POSIX with the extensions of RFC 9636.
  init?(_ text: String) {
    var parser = Parser(rest: text[...])
    guard parser.name(), let west = parser.time(upTo: 24) else { return nil }
    standard = -west
    if parser.rest.isEmpty {
      summer = nil
      return
    }
    guard parser.name() else { return nil }
    var offset = standard + 3600
    if parser.rest.first != "," {
      guard let west = parser.time(upTo: 24) else { return nil }
      offset = -west
    }
    guard let start = parser.yearDay(), let end = parser.yearDay(), parser.rest.isEmpty else {
      return nil
    }
    summer = Summer(offset: offset, start: start, end: end)
  }

  private struct Parser {
    var rest: Substring

    mutating func take(_ character: Character) -> Bool {
      guard rest.first == character else { return false }
      rest.removeFirst()
      return true
    }

    /// `CEST`, or `<+03>`.
    mutating func name() -> Bool {
      if take("<") {
        rest = rest.drop { $0 != ">" }
        return take(">")
      }
      let letters = rest.prefix { $0.isASCII && $0.isLetter }
      rest = rest.dropFirst(letters.count)
      return letters.count >= 3
    }

    mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      return Int64(digits).flatMap { range.contains($0) ? $0 : nil }
    }

    /// `2`, `-1` or `3:30:15`, in seconds.
    mutating func time(upTo hours: Int64) -> Int64? {
      let sign: Int64 = take("-") ? -1 : 1
      if sign > 0 { _ = take("+") }
      guard var seconds = number(0...hours).map({ $0 * 3600 }) else { return nil }
      for unit: Int64 in [60, 1] where take(":") {
        guard let more = number(0...59) else { return nil }
        seconds += more * unit
      }
      return sign * seconds
    }

    /// `,M3.5.0/2`
    mutating func yearDay() -> YearDay? {
      guard take(","), let day = day() else { return nil }
      guard take("/") else { return YearDay(day: day, time: 7200) }
      return time(upTo: 167).map { YearDay(day: day, time: $0) }
    }

    private mutating func day() -> YearDay.Day? {
      if take("J") { return number(1...365).map { .julian($0) } }
      guard take("M") else { return number(0...365).map { .index($0) } }
      guard let month = number(1...12), take("."), let week = number(1...5), take("."),
        let day = number(0...6)
      else { return nil }
      return .week(month: month, week: week, day: day)
    }
  }
}
