import FoundationEssentials

public struct CreateInvitation: RemoteMutation {
  public typealias Output = InvitationRecord
  public static let name = "create_invitation"
  /// How often one code may be accepted.
  public static let uses = 1...1000
  /// How far ahead an end may lie.
  public static let longestLife = Duration.seconds(366 * 86_400)

  /// The mission; nil for friendship with me.
  public var missionID: UUID?
  /// Nil for one use.
  public var uses: Int?
  /// Nil for seven days from now.
  public var expiresAt: WireTime?

  public init(missionID: UUID?, uses: Int? = nil, expiresAt: WireTime? = nil) {
    self.missionID = missionID
    self.uses = uses
    self.expiresAt = expiresAt
  }

  public enum CodingKeys: String, ArgumentKey { case missionID, uses, expiresAt }
}

/// The caller's own invitations that are still open, the newest first; also used up ones on demand.
public struct FetchInvitations: RemoteFunction {
  public typealias Output = [InvitationRecord]
  public static let name = "fetch_invitations"

  public var limit: Int?
  public var offset: Int?
  /// Whether those that are used up and have not ended are listed too; nil for no.
  public var withUsedUp: Bool?

  public init(limit: Int? = nil, offset: Int? = nil, withUsedUp: Bool? = nil) {
    self.limit = limit
    self.offset = offset
    self.withUsedUp = withUsedUp
  }

  public enum CodingKeys: String, ArgumentKey { case limit, offset, withUsedUp }
}

public struct FetchInvitation: RemoteFunction {
  public typealias Output = InvitationOffer
  public static let name = "fetch_invitation"

  /// As it was typed; `InvitationCode` says what is understood.
  public var code: String

  public init(code: InvitationCode) { self.code = code.value }

  public enum CodingKeys: String, ArgumentKey { case code }
}

public struct AcceptInvitation: RemoteMutation {
  public typealias Output = InvitationResult
  public static let name = "accept_invitation"

  public var code: String

  public init(code: InvitationCode) { self.code = code.value }

  public enum CodingKeys: String, ArgumentKey { case code }
}

public struct RevokeInvitation: RemoteMutation {
  public typealias Output = NoContent
  public static let name = "revoke_invitation"

  public var code: String

  public init(code: InvitationCode) { self.code = code.value }

  public enum CodingKeys: String, ArgumentKey { case code }
}
