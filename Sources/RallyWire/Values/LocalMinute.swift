/// A minute of the week by the clock of a place, as rules about hours need it.
public struct LocalMinute: Hashable, Sendable {
  /// 0 for Monday to 6 for Sunday.
  public let day: Int
  /// Minutes after midnight, 0...1439.
  public let minute: Int

  public init(_ time: WireTime, in zone: LocalTimeZone) {
    let seconds = time.microseconds.flooredSeconds + Int64(zone.secondsFromUTC(at: time))
    let minutes = (seconds - ((seconds % 60) + 60) % 60) / 60
    let minute = ((minutes % 1440) + 1440) % 1440
    // 1970-01-01 was a Thursday.
    day = Int((((minutes - minute) / 1440 + 3) % 7 + 7) % 7)
    self.minute = Int(minute)
  }

  /// `09:05` for 545 minutes after midnight.
  public static func text(_ minute: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(minute / 60)):\(two(minute % 60))"
  }
}

extension Int64 {
  /// Whole seconds of these microseconds, rounded down.
  var flooredSeconds: Int64 {
    let rest = ((self % 1_000_000) + 1_000_000) % 1_000_000
    return (self - rest) / 1_000_000
  }
}
