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

  /// When something ends, as the verbs say it as well: `14:31`, `midnight`, `tomorrow 14:31`, or with
  /// the date.
  static func end(_ time: WireTime, at now: WireTime) -> String {
    WhenText(timeZone: .current, now: now).words(of: time)
  }
}
