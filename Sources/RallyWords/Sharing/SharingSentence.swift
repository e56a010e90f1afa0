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

extension WithheldReason {
  /// One sentence about why a person does not see my position.
  ///
  /// - Parameter reader: The person, such as `@bob`.
  public func sentence(about reader: String) -> String {
    switch self {
    case .notFriend:
      "\(reader) is not one of your friends, and only friends see where you are."
    case .blocked: "You blocked \(reader); a blocked person sees nothing of you."
    case .off: "You share nothing with \(reader)."
    case .expired: "What you shared with \(reader) has ended."
    case .ghost: "You are a ghost: \(reader) sees nothing of you."
    case .stale:
      "Your last position is too old for the map of \(reader), which shows a precise one for a day"
        + " and an approximate one for a week."
    case .noReport: "You share with \(reader), but the server has no position of yours."
    }
  }

  /// What to do so that the person sees my position, with the verbs of the command line.
  ///
  /// - Parameter username: The person's, without `@`.
  public func advice(about username: String) -> String {
    switch self {
    case .notFriend: "`rally friends add \(username)` sends a friend request."
    case .blocked: "`rally friends unblock \(username)` ends the block; then become friends again."
    case .off: "`rally location share area \(username)` shows about 1 km."
    case .expired: "`rally location share area \(username) --for 2h` shares again."
    case .ghost: "`rally location ghost off` ends that: what you share counts again."
    case .stale, .noReport: "`rally location set PLACE` sends one."
    }
  }
}

extension WithheldReason: ReportableError {
  public var sentence: String { sentence(about: "this person") }
}

extension PrivacyRulesService {
  /// What is held back of where this device is: `in home: nothing leaves`; nil while nothing is.
  package func sentence(of provider: CurrentLocationProvider) -> String? {
    let limit = limit(of: provider)
    return limit.reason.map { reason in
      switch reason {
      case .zone(let name):
        limit.mode == .off ? "in \(name): nothing leaves" : "in \(name): only the city leaves"
      case .hours:
        "outside of your hours\(opening.map { " until \($0)" } ?? ""): nothing leaves"
      case .unreadable: "your zones cannot be read: nothing leaves"
      }
    }
  }
}
