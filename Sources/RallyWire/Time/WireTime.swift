import FoundationEssentials
import Glibc
import Synchronization

/// A moment in UTC with the precision of PostgreSQL's `timestamptz`: whole microseconds.
///
/// Written as `2026-01-02T03:04:05.123456+00:00`, the form PostgREST uses; any RFC 3339 text is
/// parsed. Civil dates follow Howard Hinnant's `days_from_civil`.
public struct WireTime: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
  /// Microseconds since 1970-01-01T00:00:00Z.
  public let microseconds: Int64

  public init(microseconds: Int64) { self.microseconds = microseconds }

  public init(_ date: Date) {
    microseconds = Int64((date.timeIntervalSince1970 * 1_000_000).rounded())
  }

  public static var now: WireTime { WallClock.now }

  /// A time that goes on evenly, also while the machine sleeps and when its clock is set.
  ///
  /// For the ages of what only this process remembers; it can be hours away from `now`, so it is
  /// never shown, stored or sent.
  public static var steady: WireTime { WallClock.steady }

  public var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }

  public static func < (a: WireTime, b: WireTime) -> Bool { a.microseconds < b.microseconds }

  public func advanced(by duration: Duration) -> WireTime {
    let (seconds, attoseconds) = duration.components
    return WireTime(
      microseconds: microseconds + seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
  }

  /// The time from `earlier` to this one; negative when `earlier` is later.
  public func since(_ earlier: WireTime) -> Duration {
    .microseconds(microseconds - earlier.microseconds)
  }

  /// How far the clocks of servers on one database may differ.
  private static let tolerance = Duration.seconds(2)

  /// Whether less than `window` went by since this moment.
  ///
  /// A moment that lies ahead is not recent: the clock was put back after it was written down, and
  /// nobody knows how long ago that was. Two seconds ahead are taken for two clocks.
  ///
  /// - Parameter now: By the clock that this moment is from.
  public func isRecent(within window: Duration, at now: WireTime) -> Bool {
    let age = now.since(self)
    return age >= .zero - WireTime.tolerance && age < window
  }

  /// The moments that are recent now: `isRecent` in a form for a statement.
  ///
  /// - Parameter window: Not negative.
  public func recentMoments(within window: Duration) -> ClosedRange<WireTime> {
    let oldest = advanced(by: .microseconds(1) - max(.microseconds(1), window))
    return oldest...advanced(by: WireTime.tolerance)
  }

  /// The start of the quarter of an hour that contains this moment.
  public var quarterHour: WireTime {
    let (_, rest) = microseconds.flooredDivision(by: 900_000_000)
    return WireTime(microseconds: microseconds - rest)
  }

  // MARK: - Text

  /// RFC 3339 with `+00:00`.
  public var description: String { text(zone: "+00:00") }

  /// RFC 3339 with `Z`, as GoTrue and Realtime write it.
  public var zulu: String { text(zone: "Z") }

  private func text(zone: String) -> String {
    let (days, inDay) = microseconds.flooredDivision(by: 86_400_000_000)
    let (year, month, day) = WireTime.civil(fromDays: days)
    let (second, fraction) = inDay.flooredDivision(by: 1_000_000)
    func two(_ n: Int64) -> String { n < 10 ? "0\(n)" : "\(n)" }
    let padded = String(fraction + 1_000_000).dropFirst()
    let years = String(year + 10_000).dropFirst()
    return "\(years)-\(two(month))-\(two(day))T\(two(second / 3600)):\(two(second / 60 % 60))"
      + ":\(two(second % 60)).\(padded)\(zone)"
  }

  /// Parses RFC 3339 text with any offset and 0–9 fraction digits. Nil if it is invalid, also for a
  /// day that its month does not have (section 5.7).
  public init?(_ text: String) {
    var bytes = Array(text.utf8)[...]
    func digits(_ count: Int) -> Int64? {
      guard bytes.count >= count else { return nil }
      var value: Int64 = 0
      for byte in bytes.prefix(count) {
        guard byte >= 48, byte <= 57 else { return nil }
        value = value * 10 + Int64(byte - 48)
      }
      bytes = bytes.dropFirst(count)
      return value
    }
    func take(_ allowed: String) -> UInt8? {
      guard let byte = bytes.first, allowed.utf8.contains(byte) else { return nil }
      bytes = bytes.dropFirst()
      return byte
    }
    guard let year = digits(4), take("-") != nil, let month = digits(2), take("-") != nil,
      let day = digits(2), take("Tt ") != nil, let hour = digits(2), take(":") != nil,
      let minute = digits(2), take(":") != nil, let second = digits(2),
      (1...12).contains(month),
      (1...WireTime.dayCount(ofYear: year, month: month)).contains(day), hour < 24, minute < 60,
      second < 61
    else { return nil }
    var fraction: Int64 = 0
    if take(".") != nil {
      var count = 0
      while let byte = take("0123456789") {
        if count < 6 { fraction = fraction * 10 + Int64(byte - 48) }
        count += 1
      }
      guard count > 0, count <= 9 else { return nil }
      for _ in min(count, 6)..<6 { fraction *= 10 }
    }
    var offset: Int64 = 0
    guard let zone = take("Zz+-") else { return nil }
    if zone == UInt8(ascii: "+") || zone == UInt8(ascii: "-") {
      guard let hours = digits(2), hours < 24 else { return nil }
      _ = take(":")
      let minutes = bytes.isEmpty ? 0 : digits(2)
      guard let minutes, minutes < 60 else { return nil }
      offset = (hours * 60 + minutes) * 60 * (zone == UInt8(ascii: "-") ? -1 : 1)
    }
    guard bytes.isEmpty else { return nil }
    let days = WireTime.days(fromYear: year, month: month, day: day)
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
    microseconds = seconds * 1_000_000 + fraction
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let time = WireTime(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "not an RFC 3339 time")
    }
    self = time
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  // MARK: - Calendar

  static func days(fromYear year: Int64, month: Int64, day: Int64) -> Int64 {
    let y = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = y.flooredDivision(by: 400)
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  static func dayCount(ofYear year: Int64, month: Int64) -> Int64 {
    let next = month == 12 ? (year: year + 1, month: Int64(1)) : (year: year, month: month + 1)
    return days(fromYear: next.year, month: next.month, day: 1)
      - days(fromYear: year, month: month, day: 1)
  }

  static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1
    )
  }
}

extension Int64 {
  /// Quotient rounded down and a remainder that is never negative, for a positive divisor.
  fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (q, r) = quotientAndRemainder(dividingBy: divisor)
    return r < 0 ? (q - 1, r + divisor) : (q, r)
  }
}

extension WireTime {
  /// The HTTP date, to the second: `Sat, 21 Nov 2026 18:31:02 GMT` (RFC 9110, 5.6.7).
  public var httpDate: String {
    var seconds = time_t((Double(microseconds) / 1_000_000).rounded(.down))
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let day = Self.days[Int(parts.tm_wday) % 7]
    let month = Self.months[Int(parts.tm_mon) % 12]
    return "\(day), \(two(parts.tm_mday)) \(month) \(parts.tm_year + 1900) "
      + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
  }

  /// - Parameter httpDate: The form above; the obsolete forms of RFC 9110 are not parsed.
  public init?(httpDate: String) {
    let words = httpDate.split(separator: " ").map(String.init)
    guard words.count == 6, words[5] == "GMT", let day = Int(words[1]),
      let month = Self.months.firstIndex(of: words[2]), let year = Int(words[3]),
      (1...31).contains(day), (1970...9999).contains(year)
    else { return nil }
    let clock = words[4].split(separator: ":").compactMap { Int($0) }
    guard clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]),
      (0...60).contains(clock[2])
    else { return nil }
    var parts = tm()
    parts.tm_year = Int32(year - 1900)
    parts.tm_mon = Int32(month)
    parts.tm_mday = Int32(day)
    let seconds = Int64(timegm(&parts)) + Int64(clock[0] * 3600 + clock[1] * 60 + clock[2])
    self.init(microseconds: seconds * 1_000_000)
  }

  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  /// The English months in three letters.
  package static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}

/// The wall clock of this process: the system's, unless it is stopped.
///
/// Ages and times of day are read in many places of the client and the server. Pictures that must
/// be the same in every run are drawn with the clock stopped for all of them.
public enum WallClock {
  private static let running = Int64.min
  private static let stoppedAt = Atomic(running)

  /// Stops the clock at this time, until it is set again.
  public static func stop(at time: WireTime) {
    stoppedAt.store(time.microseconds, ordering: .relaxed)
  }

  static var now: WireTime { stopped ?? WireTime(microseconds: read(CLOCK_REALTIME)) }

  /// The wall clock as it was when this was first asked, moved on by a clock that nobody can set.
  static var steady: WireTime { stopped ?? WireTime(microseconds: read(CLOCK_BOOTTIME) + start) }

  private static let start = read(CLOCK_REALTIME) - read(CLOCK_BOOTTIME)

  private static var stopped: WireTime? {
    let time = stoppedAt.load(ordering: .relaxed)
    return time == running ? nil : WireTime(microseconds: time)
  }

  /// Microseconds.
  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }
}
