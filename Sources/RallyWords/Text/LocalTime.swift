import RallyDomain
import RallyWire

/// Times of day in the zone of the terminal's owner.
package enum LocalTime {
  /// `14:31`
  package static func clock(_ time: WireTime) -> String {
    LocalMinute.text(LocalMinute(time, in: .current).minute)
  }

  /// When something ends, as the verbs say it as well: `14:31`, `midnight`, `tomorrow 14:31`, or with
  /// the date.
  package static func end(_ time: WireTime, at now: WireTime) -> String {
    WhenText(timeZone: .current, now: now).words(of: time)
  }
}
