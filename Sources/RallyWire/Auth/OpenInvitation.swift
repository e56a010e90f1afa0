/// The body of `POST /i`, which takes no API key.
public struct InvitationQuestion: Hashable, Sendable, Codable {
  /// The path of the page that an invitation's link opens, and of the question.
  public static let path = "/i"

  /// As it was typed; `InvitationCode` says what is understood.
  public var code: String

  public init(code: InvitationCode) { self.code = code.value }
}

/// What an open code tells somebody who has no account yet, and the API key to make one with.
public struct OpenInvitation: Hashable, Sendable, Codable {
  public struct Inviter: Hashable, Sendable, Codable {
    @WireText<UsernameText> public var username: String
    @WireText<NameText> public var displayName: String

    public init(username: String, displayName: String) {
      self.username = username
      self.displayName = displayName
    }

    enum CodingKeys: String, CodingKey {
      case username
      case displayName = "display_name"
    }
  }

  /// Neither place nor hour, brief or members: those are for who came in.
  public struct Mission: Hashable, Sendable, Codable {
    @WireText<TitleText> public var title: String
    /// `2026-05-02`, where the mission is.
    @WireText<NameText> public var day: String

    public init(title: String, day: String) {
      self.title = title
      self.day = day
    }
  }

  public var kind: InvitationKind
  /// Nil for a code of the operator.
  public var inviter: Inviter?
  /// Nil for a friendship.
  public var mission: Mission?
  /// The API key of the server.
  public var key: String
  /// How the group is reached by SSH: `ssh -p 2222 rally@host`; nil without such a door.
  @OptionalWireText<LineText> public var ssh: String?

  public init(inviter: Inviter?, mission: Mission?, key: String, ssh: String? = nil) {
    kind = inviter == nil ? .group : mission == nil ? .friendship : .mission
    self.inviter = inviter
    self.mission = mission
    self.key = key
    self.ssh = ssh
  }
}
