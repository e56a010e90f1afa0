import FoundationEssentials

/// Sends measured positions; the server keeps the newest by `recorded_at`.
public struct PublishLocations: RemoteMutation {
  public typealias Output = PublishOutcome
  public static let name = "publish_locations"
  /// The maximum number of positions in one call; more are refused.
  public static let limit = 100

  public var locations: [LocationReport]

  public init(locations: [LocationReport]) { self.locations = locations }

  public enum CodingKeys: String, ArgumentKey { case locations }
}

/// What became of the newest report of a `PublishLocations`.
public struct PublishOutcome: RequestedOutput, Hashable {
  /// Friends who may see my position see this one, at once or when a move is due.
  public static let taken = PublishOutcome(outcome: "taken")
  /// A newer position, or another device that moves, counts.
  public static let outdated = PublishOutcome(outcome: "outdated")
  /// Nobody may see my position, so that none is stored.
  public static let unseen = PublishOutcome(outcome: "unseen")

  /// An older server takes it, or says nothing.
  public static var unsaid: PublishOutcome { .taken }

  public let outcome: String
}

public struct FetchFriendLocations: RemoteFunction {
  public typealias Output = [LocationRecord]
  public static let name = "fetch_friend_locations"

  /// Only positions recorded later; nil for all.
  public var since: WireTime?

  public init(since: WireTime? = nil) { self.since = since }

  public enum CodingKeys: String, ArgumentKey { case since }
}

public struct SetLocationSharing: RemoteMutation {
  public typealias Output = NoContent
  public static let name = "set_location_sharing"

  /// The friend; nil for the default.
  public var userID: UUID?
  public var mode: SharingMode
  /// When it ends; nil for no end.
  public var until: WireTime?
  /// What sharing does to a caller who is a ghost: true ends the ghost, and all else that they
  /// share is off. False changes what holds once they come back. Without it they are refused, since
  /// they would be told of a share that nobody sees. Without meaning for anybody else.
  public var endsGhost: Bool?

  public init(userID: UUID?, mode: SharingMode, until: WireTime? = nil, endsGhost: Bool? = nil) {
    self.userID = userID
    self.mode = mode
    self.until = until
    self.endsGhost = endsGhost
  }

  public enum CodingKeys: String, ArgumentKey { case userID, mode, until, endsGhost }
}

/// Makes the caller seen by nobody, or by those with whom they share. The position is deleted, ways
/// to missions end, reports are dropped, and what is shared with whom stays as it is.
public struct SetGhost: RemoteMutation {
  public typealias Output = NoContent
  public static let name = "set_ghost"

  public var isGhost: Bool

  public init(isGhost: Bool) { self.isGhost = isGhost }

  public enum CodingKeys: String, ArgumentKey { case isGhost }
}

public struct FetchLocationSharing: RemoteFunction {
  public typealias Output = [LocationSharingRecord]
  public static let name = "fetch_location_sharing"

  public init() {}

  public enum CodingKeys: CodingKey, CaseIterable {}
}

/// The questions that wait for the caller's answer, and those that the caller asked; the newest
/// first.
public struct FetchLocationAsks: RemoteFunction {
  public typealias Output = [LocationAskRecord]
  public static let name = "fetch_location_asks"

  public init() {}

  public enum CodingKeys: CodingKey, CaseIterable {}
}

/// Shows the caller's precise position to members of a mission while the caller is on the way to it.
///
/// It ends at the first report from within the mission's radius, when the mission is over, when the
/// caller leaves it, after `MissionRules.longestWay`, and by `EndOnMyWay`. Beginning again replaces
/// what was begun before in the same mission.
public struct BeginOnMyWay: RemoteMutation {
  public typealias Output = NoContent
  public static let name = "begin_on_my_way"

  public var missionID: UUID
  /// The members whom the caller was shown as those who will see the position. Of them the position
  /// is shown to those who are members at this moment; at most `MissionRules.readerLimit`.
  public var userIDs: [UUID]

  public init(missionID: UUID, userIDs: [UUID]) {
    self.missionID = missionID
    self.userIDs = userIDs
  }

  public enum CodingKeys: String, ArgumentKey { case missionID, userIDs }
}

/// Ends what `BeginOnMyWay` began; no effect if nothing goes on.
public struct EndOnMyWay: RemoteMutation {
  public typealias Output = NoContent
  public static let name = "end_on_my_way"

  /// Nil for all missions.
  public var missionID: UUID?

  public init(missionID: UUID? = nil) { self.missionID = missionID }

  public enum CodingKeys: String, ArgumentKey { case missionID }
}

/// Who is on the way to missions of the caller, or has arrived: the caller, and members who show it
/// to the caller.
public struct FetchComing: RemoteFunction {
  public typealias Output = [ComingRecord]
  public static let name = "fetch_coming"

  /// Nil for all missions.
  public var missionID: UUID?

  public init(missionID: UUID? = nil) { self.missionID = missionID }

  public enum CodingKeys: String, ArgumentKey { case missionID }
}

/// Keeps the caller's zones and hours with the account: the server applies them to phones, and the
/// other machines of the account take them.
public struct SetPrivacyRules: RemoteMutation {
  public typealias Output = NoContent
  public static let name = "set_privacy_rules"

  /// nil keeps none with the account any more.
  public var rules: PrivacyRules?

  public init(rules: PrivacyRules?) { self.rules = rules }

  public enum CodingKeys: String, ArgumentKey { case rules }
}

/// The zones and hours that the caller keeps with the account. Nobody else gets them.
public struct FetchPrivacyRules: RemoteFunction {
  public typealias Output = AccountPrivacyRules
  public static let name = "fetch_privacy_rules"

  public init() {}

  public enum CodingKeys: CodingKey, CaseIterable {}
}

/// The result of `fetch_privacy_rules`.
public struct AccountPrivacyRules: Hashable, Sendable, Codable {
  /// nil if none are kept with the account.
  public var rules: PrivacyRules?

  public init(rules: PrivacyRules?) { self.rules = rules }
}

/// Deletes the caller's stored position; what is shared with whom stays, and the next report counts.
public struct WithdrawLocation: RemoteMutation {
  public typealias Output = NoContent
  public static let name = "withdraw_location"

  public init() {}

  public enum CodingKeys: CodingKey, CaseIterable {}
}
