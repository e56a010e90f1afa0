import RallyDomain
import RallySystem
import RallyWire

/// What a setting means for somebody, in plain words.
enum SharingSentence {
  /// `Ana sees the city you are in until 21:00`, or that she will (`SeenText`).
  static func sees(
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

extension SharingRow {
  /// What the setting of the row means, and what comes after it:
  /// `Ana sees the city you are in until 21:00, then nothing.`
  ///
  /// - Parameter general: What those see who have no setting of their own.
  func meaning(
    general: SharingSetting, at now: WireTime, isPlaceKnown: Bool = true
  ) -> String {
    let sees = SharingSentence.sees(name, setting, at: now, isPlaceKnown: isPlaceKnown)
    if followsDefault, setting.mode > .off { return "\(sees), as everybody else does." }
    guard let until = setting.until else { return "\(sees)." }
    let isSeenAfter = friendID != nil && general.mode > .off && general.holds(at: until)
    return "\(sees), then \(isSeenAfter ? "what everybody else sees" : "nothing")."
  }
}
