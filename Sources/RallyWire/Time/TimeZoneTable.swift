import RallyText

/// The changes of the clocks of a time zone: a list, and a rule for all times after it.
struct TimeZoneTable: Sendable {
  /// Seconds since 1970, ascending, and how many seconds the clocks are ahead of UTC from then on.
  private let changes: [(at: Int64, offset: Int32)]
  /// Before the first change.
  private let firstOffset: Int32
  /// After the last change; nil if the clocks stay as they are.
  private let rule: TimeZoneRule?

  static let utc = TimeZoneTable(changes: [], firstOffset: 0, rule: nil)

  private init(changes: [(at: Int64, offset: Int32)], firstOffset: Int32, rule: TimeZoneRule?) {
    self.changes = changes
    self.firstOffset = firstOffset
    self.rule = rule
  }

  /// Seconds ahead of UTC at a moment in seconds since 1970.
  func offset(at time: Int64) -> Int {
    let index = indexOfChange(after: time)
    if index == changes.count, let rule { return rule.offset(at: time) }
    return Int(index == 0 ? firstOffset : changes[index - 1].offset)
  }

  /// The next moment at which the offset changes; nil if it never does.
  func nextTransition(after time: Int64) -> Int64? {
    let index = indexOfChange(after: time)
    var former = index == 0 ? firstOffset : changes[index - 1].offset
    for change in changes[index...] {
      if change.offset != former { return change.at }
      former = change.offset
    }
    return rule?.nextTransition(after: max(time, changes.last?.at ?? time))
  }

  /// The number of changes that have happened at this moment.
  private func indexOfChange(after time: Int64) -> Int {
    changes.firstPlace { $0.at <= time }
  }
}

extension TimeZoneTable {
  /// Reads a file of the time zone database (TZif, RFC 9636) of any version.
  ///
  /// - Returns: nil for anything else, and for zones that count leap seconds.
  init?(tzif bytes: [UInt8]) {
    var reader = Reader(rest: bytes[...])
    guard var header = Header(&reader) else { return nil }
    // From version 2 on, the same follows once more in 64 bits, with a rule at the end.
    let isWide = header.version >= UInt8(ascii: "2")
    if isWide {
      guard reader.skip(header.length(ofTime: 4)), let second = Header(&reader) else { return nil }
      header = second
    }
    let width = isWide ? 8 : 4
    guard header.leaps == 0, header.types > 0, reader.rest.count >= header.length(ofTime: width)
    else { return nil }
    let times = (0..<header.times).map { _ in reader.integer(width) }
    let indices = (0..<header.times).map { _ in Int(reader.integer(1) & 0xFF) }
    let offsets = (0..<header.types).map { _ in
      let offset = reader.integer(4)
      _ = reader.skip(2)
      return Int32(truncatingIfNeeded: offset)
    }
    _ = reader.skip(header.names + header.standard + header.universal)
    guard indices.allSatisfy(offsets.indices.contains), zip(times, times.dropFirst()).allSatisfy(<)
    else { return nil }
    changes = zip(times, indices).map { (at: $0, offset: offsets[$1]) }
    firstOffset = offsets[0]
    let footer = reader.rest.dropFirst().prefix { $0 != UInt8(ascii: "\n") }
    if isWide, !footer.isEmpty {
      guard let rule = TimeZoneRule(String(decoding: footer, as: UTF8.self)) else { return nil }
      self.rule = rule
    } else {
      rule = nil
    }
  }

  private struct Reader {
    var rest: ArraySlice<UInt8>

    mutating func skip(_ count: Int) -> Bool {
      guard rest.count >= count else { return false }
      rest = rest.dropFirst(count)
      return true
    }

    /// A signed number of this many bytes, the highest first.
    mutating func integer(_ width: Int) -> Int64 {
      let bytes = rest.prefix(width)
      rest = rest.dropFirst(width)
      let start: Int64 = bytes.first.map { $0 >= 0x80 ? -1 : 0 } ?? 0
      return bytes.reduce(start) { $0 << 8 | Int64($1) }
    }
  }

  private struct Header {
    let version: UInt8
    let universal, standard, leaps, times, types, names: Int

    init?(_ reader: inout Reader) {
      guard reader.rest.count >= 44, reader.rest.starts(with: "TZif".utf8) else { return nil }
      _ = reader.skip(4)
      version = UInt8(truncatingIfNeeded: reader.integer(1))
      _ = reader.skip(15)
      let counts = (0..<6).map { _ in Int(reader.integer(4)) }
      guard counts.allSatisfy({ (0...65_536).contains($0) }) else { return nil }
      (universal, standard, leaps) = (counts[0], counts[1], counts[2])
      (times, types, names) = (counts[3], counts[4], counts[5])
    }

    /// The bytes of what follows, with times of this many bytes.
    func length(ofTime width: Int) -> Int {
      times * (width + 1) + types * 6 + names + leaps * (width + 4) + standard + universal
    }
  }
}

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
