import FoundationEssentials
import RallyText
import RallyWire

/// The hours of a day without notifications; they span midnight if the end is before the start.
public struct QuietHours: Hashable, Sendable, CustomStringConvertible {
  /// Minutes after midnight, 0 to 1439; inclusive.
  public let start: Int
  /// Minutes after midnight, 0 to 1439; exclusive.
  public let end: Int

  /// - Parameter text: Two different 24-hour times: `22:00-07:00`.
  /// - Returns: nil for anything else.
  public init?(_ text: String) {
    let times = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minutes)
    guard times.count == 2, let start = times[0], let end = times[1], start != end else {
      return nil
    }
    self.start = start
    self.end = end
  }

  private static func minutes(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      .map { $0.trimmed }
    guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
      parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
    else { return nil }
    return hour * 60 + minute
  }

  /// Whether a moment is within the quiet hours, by local time in that zone.
  public func contain(_ date: Date, in timeZone: LocalTimeZone) -> Bool {
    let minute = LocalMinute(WireTime(date), in: timeZone).minute
    return start < end
      ? (start..<end).contains(minute) : minute >= start || minute < end
  }

  public var description: String { "\(LocalMinute.text(start))-\(LocalMinute.text(end))" }
}
