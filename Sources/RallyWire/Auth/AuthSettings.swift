/// Who may make an account on a server.
public enum SignUpPolicy: String, Hashable, Sendable, Codable, CaseIterable {
  case open
  /// Whoever has a code of somebody who is there.
  case invited
  case closed
}

/// What of `GET /auth/v1/settings` a client goes by.
public struct AuthSettings: Hashable, Sendable, Codable {
  /// GoTrue's key, which every server has.
  public var isSignUpDisabled: Bool
  /// Rally's own key; nil on the hosted service.
  public var policy: SignUpPolicy?

  public init(policy: SignUpPolicy) {
    isSignUpDisabled = policy == .closed
    self.policy = policy
  }

  /// What both keys mean together.
  public var signUp: SignUpPolicy { isSignUpDisabled ? .closed : policy ?? .open }

  enum CodingKeys: String, CodingKey {
    case isSignUpDisabled = "disable_signup"
    case policy = "rally_signup"
  }
}
