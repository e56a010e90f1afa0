/// Content lines of iCalendar (RFC 5545).
enum CalendarText {
  /// Lines folded and ended by CRLF: RFC 5545 section 3.1.
  static func text(_ lines: [String]) -> String {
    lines.map { folded($0) + "\r\n" }.joined()
  }

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
