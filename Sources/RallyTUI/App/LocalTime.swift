import Foundation
import RallyWire

/// Times of day in the zone of the terminal's owner.
enum LocalTime {
  /// `14:31`
  static func clock(_ time: WireTime) -> String {
    let parts = parts(of: time)
    return "\(two(parts.tm_hour)):\(two(parts.tm_min))"
  }

  /// When something ends: `14:31`, `midnight`, and `1 Dec 14:31` where that is a day or more away.
  static func end(_ time: WireTime, at now: WireTime) -> String {
    let clock = clock(time)
    guard time.since(now) >= .seconds(86_400) else { return clock == "00:00" ? "midnight" : clock }
    let parts = parts(of: time)
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    return "\(parts.tm_mday) \(months[Int(parts.tm_mon)]) \(clock)"
  }

  private static func parts(of time: WireTime) -> tm {
    var seconds = time_t(time.microseconds / 1_000_000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return parts
  }

  private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
