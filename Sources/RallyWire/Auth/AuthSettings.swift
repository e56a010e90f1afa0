/// Who may create an account on a server.
public enum SignUpPolicy: String, Hashable, Sendable, Codable, CaseIterable {
  case open
  /// Anyone with an invitation code of an existing user.
  case invited
  case closed
}

/// The fields of `GET /auth/v1/settings` that the client reads.
public struct AuthSettings: Hashable, Sendable, Codable {
  /// GoTrue's key; every server sends it.
  public var isSignUpDisabled: Bool
  /// Rally's own key; nil on the hosted service.
  public var policy: SignUpPolicy?

  public init(policy: SignUpPolicy) {
    isSignUpDisabled = policy == .closed
    self.policy = policy
  }

  /// The policy that follows from both keys.
  public var signUp: SignUpPolicy { isSignUpDisabled ? .closed : policy ?? .open }

  enum CodingKeys: String, CodingKey {
    case isSignUpDisabled = "disable_signup"
    case policy = "rally_signup"
  }
}
