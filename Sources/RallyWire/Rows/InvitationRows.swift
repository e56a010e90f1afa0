import FoundationEssentials

/// What accepting an invitation leads to.
public enum InvitationKind: String, Hashable, Sendable, Codable {
  case friendship, mission
  /// To the group and nothing else: the code of an operator, for who comes first.
  case group
}

/// An invitation as its creator sees it: the result of `create_invitation` and a row of
/// `fetch_invitations`.
public struct InvitationRecord: Hashable, Sendable, Codable, Identifiable {
  public var code: InvitationCode
  /// `rally://invite/…`
  @WireText<LineText> public var link: String
  public var kind: InvitationKind
  public var missionID: UUID?
  @OptionalWireText<TitleText> public var missionTitle: String?
  /// How often it may be accepted; nil for any number.
  public var uses: Int?
  /// How often it was accepted.
  public var used: Int
  /// Who accepted it, by username, the first on top; nil from a server that does not say.
  public var usedBy: [String]?
  public var expiresAt: WireTime?
  public var createdAt: WireTime

  public var id: String { code.value }

  public init(
    code: InvitationCode, missionID: UUID?, missionTitle: String?, uses: Int?, used: Int,
    usedBy: [String]? = nil, expiresAt: WireTime?, createdAt: WireTime
  ) {
    self.code = code
    link = code.link
    kind = missionID == nil ? .friendship : .mission
    self.missionID = missionID
    self.missionTitle = missionTitle
    self.uses = uses
    self.used = used
    self.usedBy = usedBy
    self.expiresAt = expiresAt
    self.createdAt = createdAt
  }

  /// Who accepted it, fit to be shown.
  public var guests: [String] { (usedBy ?? []).map(TextLimits.username.shown) }

  /// Whether somebody could still accept it.
  public func isOpen(at time: WireTime) -> Bool {
    (expiresAt.map { time < $0 } ?? true) && (uses.map { used < $0 } ?? true)
  }

  enum CodingKeys: String, CodingKey {
    case code, link, kind, uses, used
    case usedBy = "used_by"
    case missionID = "mission_id"
    case missionTitle = "mission_title"
    case expiresAt = "expires_at"
    case createdAt = "created_at"
  }
}

/// A preview of an invitation, shown before it is accepted.
public struct InvitationOffer: Hashable, Sendable, Codable {
  /// The facts of the mission that a person outside it may see.
  public struct Mission: Hashable, Sendable, Codable {
    public var id: UUID
    @WireText<TitleText> public var title: String
    @WireText<BriefText> public var brief: String
    public var latitude: Double
    public var longitude: Double
    public var startsAt: WireTime
    public var endsAt: WireTime?
    public var capacity: Int?
    public var memberCount: Int
    public var isFull: Bool

    public init(_ mission: MissionRecord) {
      id = mission.id
      title = mission.title
      brief = mission.brief
      latitude = mission.latitude
      longitude = mission.longitude
      startsAt = mission.startsAt
      endsAt = mission.endsAt
      capacity = mission.capacity
      memberCount = mission.memberCount
      isFull = mission.isFull
    }

    enum CodingKeys: String, CodingKey {
      case id, title, brief, latitude, longitude, capacity
      case startsAt = "starts_at"
      case endsAt = "ends_at"
      case memberCount = "member_count"
      case isFull = "is_full"
    }
  }

  public var code: InvitationCode
  public var kind: InvitationKind
  /// The person who invites.
  public var inviter: ProfileRecord
  public var mission: Mission?
  public var expiresAt: WireTime?
  /// Whether the two are friends, or the reader is in the mission, already.
  public var isAccepted: Bool

  public init(
    code: InvitationCode, inviter: ProfileRecord, mission: Mission?, expiresAt: WireTime?,
    isAccepted: Bool
  ) {
    self.code = code
    kind = mission == nil ? .friendship : .mission
    self.inviter = inviter
    self.mission = mission
    self.expiresAt = expiresAt
    self.isAccepted = isAccepted
  }

  enum CodingKeys: String, CodingKey {
    case code, kind, inviter, mission
    case expiresAt = "expires_at"
    case isAccepted = "is_accepted"
  }
}

/// The result of accepting an invitation; exactly one of the two is set.
public struct InvitationResult: Hashable, Sendable, Codable {
  public var kind: InvitationKind
  /// The new friend.
  public var friend: ProfileRecord?
  public var mission: MissionRecord?

  public init(friend: ProfileRecord) {
    kind = .friendship
    self.friend = friend
  }

  public init(mission: MissionRecord) {
    kind = .mission
    self.mission = mission
  }
}

/// The body of `POST /i`, which takes no API key.
public struct InvitationQuestion: Hashable, Sendable, Codable {
  /// The path of the page that an invitation's link opens, and of the question.
  public static let path = "/i"

  /// As it was typed; `InvitationCode` says what is understood.
  public var code: String

  public init(code: InvitationCode) { self.code = code.value }
}

/// What an open code gives somebody who has no account yet, and the API key to make one with.
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
