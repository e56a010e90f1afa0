import Foundation
import RallyDomain
import RallyWire

/// Times of day in the zone of the terminal's owner.
enum LocalTime {
  /// `14:31`
  static func clock(_ time: WireTime) -> String {
    var seconds = time_t(time.microseconds / 1_000_000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(parts.tm_hour)):\(two(parts.tm_min))"
  }

  /// When something ends: `14:31`, `midnight`, and with the day where that is a day or more away.
  static func end(_ time: WireTime, at now: WireTime) -> String {
    guard time.since(now) < .seconds(86_400) else {
      return WhenText(timeZone: .current, now: now).text(of: time)
    }
    let clock = clock(time)
    return clock == "00:00" ? "midnight" : clock
  }
}
