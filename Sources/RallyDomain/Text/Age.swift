import RallySystem
import RallyWire

/// Formats ages and dates.
public enum Age {
  /// `now`, `45s`, `3m`, `2h`, `5d`, `3w`, then the year and month as `2025-03`.
  ///
  /// A time in the future (clocks differ) is `now`.
  public static func short(_ time: WireTime, at now: WireTime) -> String {
    let seconds = now.since(time).components.seconds
    switch seconds {
    case ..<5: return "now"
    case ..<60: return "\(seconds)s"
    case ..<3600: return "\(seconds / 60)m"
    case ..<86_400: return "\(seconds / 3600)h"
    case ..<(14 * 86_400): return "\(seconds / 86_400)d"
    case ..<(60 * 86_400): return "\(seconds / (7 * 86_400))w"
    default: return String(time.description.prefix(7))
    }
  }

  /// `just now`, `45 seconds ago`, `1 minute ago`, `2 hours ago`, `5 days ago`, then the date.
  public static func sentence(_ time: WireTime, at now: WireTime) -> String {
    let seconds = now.since(time).components.seconds
    func ago(_ count: Int64, _ unit: String) -> String {
      "\(count.counted(unit)) ago"
    }
    switch seconds {
    case ..<5: return "just now"
    case ..<60: return ago(seconds, "second")
    case ..<3600: return ago(seconds / 60, "minute")
    case ..<86_400: return ago(seconds / 3600, "hour")
    case ..<(60 * 86_400): return ago(seconds / 86_400, "day")
    default: return "on \(time.description.prefix(10))"
    }
  }

  /// As `short`, by whole minutes of the clock: for screens, which are drawn again when the minute
  /// changes. `now` stands for the present minute, `1m` for the one before it.
  public static func shortByMinute(_ time: WireTime, at now: WireTime) -> String {
    short(time.wholeMinute, at: now.wholeMinute)
  }

  /// As `sentence`, by whole minutes of the clock.
  public static func sentenceByMinute(_ time: WireTime, at now: WireTime) -> String {
    sentence(time.wholeMinute, at: now.wholeMinute)
  }

  /// The age of a time of which only the quarter of an hour is known: `<15m`, `<30m`, `<45m`,
  /// `<1h`, then as `short` counts from the end of the quarter.
  ///
  /// - Parameter start: The beginning of the quarter.
  public static func short(quarter start: WireTime, at now: WireTime) -> String {
    guard let quarters = quarters(since: start, at: now) else {
      return short(start.advanced(by: .quarterHour), at: now)
    }
    return quarters == 4 ? "<1h" : "<\(quarters * 15)m"
  }

  /// The same in words: `within 15 min`, `within 30 min`, `within 45 min`, `within 1 hour`; nil
  /// once it is longer ago.
  public static func within(quarter start: WireTime, at now: WireTime) -> String? {
    quarters(since: start, at: now).map { $0 == 4 ? "within 1 hour" : "within \($0 * 15) min" }
  }

  /// The longest that it can be ago, in quarters of an hour; nil for more than four.
  private static func quarters(since start: WireTime, at now: WireTime) -> Int64? {
    let begun = max(0, now.since(start).components.seconds) / 900 + 1
    return begun <= 4 ? begun : nil
  }

  /// The day as `2 Jan 2026`, in UTC.
  public static func day(_ time: WireTime) -> String {
    let (year, month, day, _) = time.civil
    return "\(day) \(WireTime.months[Int(month) - 1]) \(year)"
  }
}

extension WireTime {
  /// The beginning of its minute.
  fileprivate var wholeMinute: WireTime {
    WireTime(microseconds: microseconds - ((microseconds % 60_000_000) + 60_000_000) % 60_000_000)
  }
}

extension Duration {
  /// What of a coarse position's time is left open.
  public static let quarterHour = Duration.seconds(900)
}

extension BinaryInteger {
  /// The number with its noun: `1 friend`, `3 friends`, `0 people`.
  ///
  /// - Parameter plural: Defaults to the noun with an `s`.
  public func counted(_ noun: String, _ plural: String? = nil) -> String {
    "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
  }

  /// This number of minutes: `45 min`, `2 h`, `1 h 40 min`.
  public var minutesText: String {
    let (hours, minutes) = quotientAndRemainder(dividingBy: 60)
    return [hours > 0 ? "\(hours) h" : nil, hours == 0 || minutes > 0 ? "\(minutes) min" : nil]
      .compactMap { $0 }.joined(separator: " ")
  }
}
