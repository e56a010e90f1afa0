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
  /// Rally's own key: how the group reaches the server, for links; nil if it does not say.
  @OptionalWireText<LineText> public var publicURL: String?
  /// Rally's own key: the command that comes in by SSH; nil without such a door.
  @OptionalWireText<LineText> public var ssh: String?

  public static let publicURLKey = CodingKeys.publicURL.rawValue
  public static let sshKey = CodingKeys.ssh.rawValue

  public init(policy: SignUpPolicy, publicURL: String? = nil, ssh: String? = nil) {
    isSignUpDisabled = policy == .closed
    self.policy = policy
    self.publicURL = publicURL
    self.ssh = ssh
  }

  /// The policy that follows from both keys.
  public var signUp: SignUpPolicy { isSignUpDisabled ? .closed : policy ?? .open }

  enum CodingKeys: String, CodingKey {
    case isSignUpDisabled = "disable_signup"
    case policy = "rally_signup"
    case publicURL = "rally_public_url"
    case ssh = "rally_ssh"
  }
}
