import Glibc

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
