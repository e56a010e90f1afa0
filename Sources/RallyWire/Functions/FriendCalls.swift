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

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case query = "p_query"
    case limit = "p_limit"
    case offset = "p_offset"
  }
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

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case query = "p_query"
    case limit = "p_limit"
    case offset = "p_offset"
  }
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

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case direction = "p_direction"
    case limit = "p_limit"
    case offset = "p_offset"
  }
}

public struct FetchFriendshipStatus: RemoteFunction {
  public typealias Output = FriendshipStatus
  public static let name = "fetch_friendship_status"

  @WireID public var userID: UUID

  public init(userID: UUID) { self.userID = userID }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case userID = "p_user_id"
  }
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

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case limit = "p_limit"
    case offset = "p_offset"
  }
}

/// A mutation whose only argument is the other person.
public protocol PersonMutation: RemoteMutation where Output == NoContent {
  var userID: UUID { get }
  init(userID: UUID, clientID: UUID?)
}

/// The argument names that every `PersonMutation` shares.
public enum PersonMutationKeys: String, CodingKey, CaseIterable, Sendable {
  case userID = "p_user_id"
  case clientID = "p_client_id"
}

public struct RequestFriend: RemoteMutation {
  public typealias Output = RequestOutcome
  public static let name = "request_friend"
  public typealias CodingKeys = PersonMutationKeys

  @WireID public var userID: UUID
  public var clientID: WireID?

  public init(userID: UUID, clientID: UUID? = nil) {
    self.userID = userID
    self.clientID = clientID.map(WireID.init(wrappedValue:))
  }
}

/// What a `RequestFriend` made of us.
public struct RequestOutcome: RequestedOutput, Hashable {
  /// `outgoing`, or `friends` if they had asked the caller; nil where the server does not say it.
  public let status: FriendshipStatus?

  public static var unsaid: RequestOutcome { RequestOutcome(status: nil) }

  public init(status: FriendshipStatus?) { self.status = status }
}

public struct CancelFriendRequest: PersonMutation {
  public static let name = "cancel_friend_request"
  public typealias CodingKeys = PersonMutationKeys

  @WireID public var userID: UUID
  public var clientID: WireID?

  public init(userID: UUID, clientID: UUID? = nil) {
    self.userID = userID
    self.clientID = clientID.map(WireID.init(wrappedValue:))
  }
}

public struct RemoveFriend: PersonMutation {
  public static let name = "remove_friend"
  public typealias CodingKeys = PersonMutationKeys

  @WireID public var userID: UUID
  public var clientID: WireID?

  public init(userID: UUID, clientID: UUID? = nil) {
    self.userID = userID
    self.clientID = clientID.map(WireID.init(wrappedValue:))
  }
}

public struct BlockUser: PersonMutation {
  public static let name = "block_user"
  public typealias CodingKeys = PersonMutationKeys

  @WireID public var userID: UUID
  public var clientID: WireID?

  public init(userID: UUID, clientID: UUID? = nil) {
    self.userID = userID
    self.clientID = clientID.map(WireID.init(wrappedValue:))
  }
}

public struct UnblockUser: PersonMutation {
  public static let name = "unblock_user"
  public typealias CodingKeys = PersonMutationKeys

  @WireID public var userID: UUID
  public var clientID: WireID?

  public init(userID: UUID, clientID: UUID? = nil) {
    self.userID = userID
    self.clientID = clientID.map(WireID.init(wrappedValue:))
  }
}

public struct RespondToFriendRequest: RemoteMutation {
  public typealias Output = NoContent
  public static let name = "respond_to_friend_request"

  @WireID public var userID: UUID
  public var accept: Bool
  public var clientID: WireID?

  public init(userID: UUID, accept: Bool, clientID: UUID? = nil) {
    self.userID = userID
    self.accept = accept
    self.clientID = clientID.map(WireID.init(wrappedValue:))
  }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case userID = "p_user_id"
    case accept = "p_accept"
    case clientID = "p_client_id"
  }
}
