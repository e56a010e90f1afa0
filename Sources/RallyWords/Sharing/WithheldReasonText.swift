import RallyDomain
import RallySystem
import RallyWire

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
