import FoundationEssentials

public struct FetchFriends: RemoteFunction {
  public typealias Output = [FriendRecord]
  public static let name = "fetch_friends"

  /// Part of a username or display name; nil for everybody.
  public var query: String?
  public var limit: Int?
  public var offset: Int?

  public init(query: String? = nil, limit: Int? = nil, offset: Int? = nil) {
    self.query = query
    self.limit = limit
    self.offset = offset
  }

  public enum CodingKeys: String, ArgumentKey { case query, limit, offset }
}

public struct SearchPeople: RemoteFunction {
  public typealias Output = [PersonRecord]
  public static let name = "search_people"

  public var query: String
  public var limit: Int?
  public var offset: Int?

  public init(query: String, limit: Int? = nil, offset: Int? = nil) {
    self.query = query
    self.limit = limit
    self.offset = offset
  }

  public enum CodingKeys: String, ArgumentKey { case query, limit, offset }
}

public struct FetchFriendRequests: RemoteFunction {
  public typealias Output = [DatedProfileRecord]
  public static let name = "fetch_friend_requests"

  public var direction: RequestDirection
  public var limit: Int?
  public var offset: Int?

  public init(direction: RequestDirection, limit: Int? = nil, offset: Int? = nil) {
    self.direction = direction
    self.limit = limit
    self.offset = offset
  }

  public enum CodingKeys: String, ArgumentKey { case direction, limit, offset }
}

public struct FetchFriendshipStatus: RemoteFunction {
  public typealias Output = FriendshipStatus
  public static let name = "fetch_friendship_status"

  public var userID: UUID

  public init(userID: UUID) { self.userID = userID }

  public enum CodingKeys: String, ArgumentKey { case userID }
}

public struct FetchBlockedUsers: RemoteFunction {
  public typealias Output = [DatedProfileRecord]
  public static let name = "fetch_blocked_users"

  public var limit: Int?
  public var offset: Int?

  public init(limit: Int? = nil, offset: Int? = nil) {
    self.limit = limit
    self.offset = offset
  }

  public enum CodingKeys: String, ArgumentKey { case limit, offset }
}

/// A mutation whose only argument is the other person.
public struct PersonMutation<Act: NamedAct>: RemoteMutation {
  public typealias Output = Act.Output
  public static var name: String { Act.name }

  public var userID: UUID

  public init(userID: UUID) { self.userID = userID }

  public enum CodingKeys: String, ArgumentKey { case userID }
}

/// What mutations with the same arguments differ in.
public protocol NamedAct {
  associatedtype Output: Codable & Sendable = NoContent

  /// The name of the function.
  static var name: String { get }
}

public typealias RequestFriend = PersonMutation<PersonActs.RequestFriend>
public typealias CancelFriendRequest = PersonMutation<PersonActs.CancelFriendRequest>
public typealias RemoveFriend = PersonMutation<PersonActs.RemoveFriend>
public typealias BlockUser = PersonMutation<PersonActs.BlockUser>
public typealias UnblockUser = PersonMutation<PersonActs.UnblockUser>
/// Asks a friend where they are.
///
/// The answer is the same whatever becomes of it: whoever asks learns nothing but what is shared.
public typealias AskLocation = PersonMutation<PersonActs.AskLocation>
/// Closes a friend's question where the caller is, which the friend does not learn. Sharing
/// something with the friend closes it too.
public typealias CloseLocationAsk = PersonMutation<PersonActs.CloseLocationAsk>

public enum PersonActs {
  public enum RequestFriend: NamedAct {
    public typealias Output = RequestOutcome
    public static let name = "request_friend"
  }
  public enum CancelFriendRequest: NamedAct { public static let name = "cancel_friend_request" }
  public enum RemoveFriend: NamedAct { public static let name = "remove_friend" }
  public enum BlockUser: NamedAct { public static let name = "block_user" }
  public enum UnblockUser: NamedAct { public static let name = "unblock_user" }
  public enum AskLocation: NamedAct { public static let name = "ask_location" }
  public enum CloseLocationAsk: NamedAct { public static let name = "close_location_ask" }
}

/// What a `RequestFriend` made of us.
public struct RequestOutcome: RequestedOutput, Hashable {
  /// `outgoing`, or `friends` if they had asked the caller; nil where the server does not say it.
  public let status: FriendshipStatus?

  public static var unsaid: RequestOutcome { RequestOutcome(status: nil) }

  public init(status: FriendshipStatus?) { self.status = status }
}

public struct RespondToFriendRequest: RemoteMutation {
  public typealias Output = NoContent
  public static let name = "respond_to_friend_request"

  public var userID: UUID
  public var accept: Bool

  public init(userID: UUID, accept: Bool) {
    self.userID = userID
    self.accept = accept
  }

  public enum CodingKeys: String, ArgumentKey { case userID, accept }
}

public struct FetchProfiles: RemoteFunction {
  public typealias Output = [ProfileRecord]
  public static let name = "fetch_profiles"

  public var userIDs: [UUID]

  public init(userIDs: [UUID]) { self.userIDs = userIDs }

  public enum CodingKeys: String, ArgumentKey { case userIDs }
}

/// Changes the caller's own profile; what is nil stays as it is.
public struct UpdateProfile: RemoteMutation {
  public typealias Output = ProfileRecord
  public static let name = "update_profile"

  public var displayName: String?
  public var bio: String?
  public var username: String?

  public init(displayName: String? = nil, bio: String? = nil, username: String? = nil) {
    self.displayName = displayName
    self.bio = bio
    self.username = username
  }

  public enum CodingKeys: String, ArgumentKey { case displayName, bio, username }
}
