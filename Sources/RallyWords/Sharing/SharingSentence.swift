import RallyDomain
import RallySystem
import RallyWire

/// What a setting means for somebody, in plain words.
package enum SharingSentence {
  /// `Ana sees the city you are in until 21:00`, or that she will (`SeenText`).
  package static func sees(
    _ name: String, _ setting: SharingSetting, at now: WireTime, isPlaceKnown: Bool = true
  ) -> String {
    let end = setting.until.map { " until \(LocalTime.end($0, at: now))" } ?? ""
    return SeenText.sentence(
      name, sees: setting.mode.seenOfMe, in: setting.mode, end: end, isPlaceKnown: isPlaceKnown)
  }
}

extension SharingMode {
  /// What others see of where I am.
  fileprivate var seenOfMe: String {
    switch self {
    case .off: "nothing of you"
    case .approximate10km: "the city you are in"
    case .approximate1km: "the area you are in (1 km)"
    case .precise: "exactly where you are"
    }
  }
}

extension SharingSetting {
  /// `precisely until 18:00`.
  package func sentence(at now: WireTime) -> String {
    guard let until, mode > .off else { return mode.title }
    return "\(mode.title) until \(LocalTime.end(until, at: now))"
  }
}
