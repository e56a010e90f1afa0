/// A time of day by the clocks of a place: `02:30`, or `02:30:15.5` where it is not a whole minute.
public struct ClockTime: Hashable, Sendable, Codable, CustomStringConvertible {
  /// Microseconds after midnight, less than a day.
  public let microseconds: Int64

  /// The time of day of a local time, which stands there as if it were UTC.
  init(ofLocal time: WireTime) {
    let day: Int64 = 86_400_000_000
    microseconds = (time.microseconds % day + day) % day
  }

  /// nil for text that is no time of day.
  public init?(_ text: String) {
    let isMinute = text.utf8.count == 5
    guard let time = WireTime("1970-01-01T\(text)\(isMinute ? ":00" : "")Z"),
      time.microseconds < 86_400_000_000
    else { return nil }
    self.init(ofLocal: time)
  }

  public var description: String {
    let text = WireTime(microseconds: microseconds).description.dropFirst(11).prefix(15)
    guard microseconds % 60_000_000 != 0 else { return String(text.prefix(5)) }
    guard microseconds % 1_000_000 != 0 else { return String(text.prefix(8)) }
    return String(text)
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let time = ClockTime(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "not a time of day such as 02:30")
    }
    self = time
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

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
