import FoundationEssentials
import Logging
import RallyClient
import RallySystem
import RallyWire

/// Friends, requests, blocks and the search for people.
///
/// Every mutation carries a client id: repeating it with the same one has the effect of one call.
public final class FriendsService: Sendable {
  public static let shared = FriendsService(client: .shared)

  private let client: ServiceClient
  private let log = RallyLog.logger("Friends")

  public init(client: SupabaseClient) { self.client = client.logging(by: log) }

  /// My friends, sorted by the server; all for a nil query.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchFriends(
    query: String? = nil, limit: Int = Paging.defaultLimit, offset: Int = 0
  ) async throws -> Page<CommunityProfile> {
    log.info("fetchFriends — limit: \(limit), offset: \(offset), filtered: \(query != nil)")
    return try await client.page(FetchFriends(query: query, limit: limit, offset: offset))
      .converted(CommunityProfile.init)
  }

  /// People whose name or username contains the text, also those who are no friends.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func searchPeople(
    query: String, limit: Int = Paging.defaultLimit, offset: Int = 0
  ) async throws -> Page<CommunityProfile> {
    log.info("searchPeople — limit: \(limit), offset: \(offset)")
    return try await client.page(SearchPeople(query: query, limit: limit, offset: offset))
      .converted(CommunityProfile.init)
  }

  /// The person with exactly this username; nil when there is none for me.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func findPerson(username: Username) async throws -> CommunityProfile? {
    try await Pages.all(until: { $0.username == username.value }) {
      try await self.searchPeople(query: username.value, limit: Paging.maximumLimit, offset: $0)
    }.last { $0.username == username.value }
  }

  /// The person of this name if they can be asked for friendship.
  ///
  /// - Throws: `FieldProblem` with what to type or do instead, or `NetworkError`.
  public func personToAsk(username: String) async throws -> CommunityProfile {
    let name = try Username(username)
    guard let person = try await findPerson(username: name) else {
      throw FieldProblem(
        field: .username, advice: "Nobody here is called @\(name). Check the name.")
    }
    switch person.friendshipStatus {
    case .friends?:
      throw FieldProblem(field: .username, advice: "You and @\(name) are friends already.")
    case .outgoing?:
      throw FieldProblem(field: .username, advice: "You have asked @\(name) already.")
    case .blocked?:
      throw FieldProblem(field: .username, advice: "You block @\(name). Unblock first.")
    default: return person
    }
  }

  /// Pending requests of one direction, newest first.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchFriendRequests(
    direction: RequestDirection, limit: Int = Paging.defaultLimit, offset: Int = 0
  ) async throws -> Page<FriendRequestItem> {
    log.info("fetchFriendRequests — \(direction.rawValue), limit: \(limit), offset: \(offset)")
    let page = try await client.page(
      FetchFriendRequests(direction: direction, limit: limit, offset: offset))
    let status: FriendshipStatus = direction == .incoming ? .incoming : .outgoing
    return page.converted {
      FriendRequestItem(
        profile: CommunityProfile($0, friendshipStatus: status), direction: direction,
        createdAt: $0.createdAt)
    }
  }

  /// My relationship to this user now.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchFriendshipStatus(with userID: UUID) async throws -> FriendshipStatus {
    log.info("fetchFriendshipStatus — user: \(userID.wireText)")
    return try await client.call(FetchFriendshipStatus(userID: userID))
  }

  /// The people I block, with the time of the block as `since`.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchBlockedUsers(
    limit: Int = Paging.defaultLimit, offset: Int = 0
  ) async throws -> Page<CommunityProfile> {
    log.info("fetchBlockedUsers — limit: \(limit), offset: \(offset)")
    return try await client.page(FetchBlockedUsers(limit: limit, offset: offset))
      .converted { CommunityProfile($0, friendshipStatus: .blocked) }
  }

  /// Friends' questions where I am that wait, and mine to friends; none from a server that does not
  /// have questions yet.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchLocationAsks() async throws -> [LocationAskRecord] {
    log.info("fetchLocationAsks")
    do {
      return try await Pages.whole { [client] in
        try await client.page(FetchLocationAsks(), offset: $0)
      }
    } catch NetworkError.refused(let failure, _) where failure.isUnknownFunction {
      return []
    }
  }

  /// Asks for friendship; asking someone who already asked me accepts.
  ///
  /// - Returns: What we are to each other now; a server that does not say it is asked.
  /// - Throws: `NetworkError` or `CancellationError`.
  @discardableResult
  public func requestFriend(
    userID: UUID, clientID: UUID = UUID()
  ) async throws -> FriendshipStatus {
    log.info("requestFriend — user: \(userID.wireText)")
    let outcome = try await client.call(RequestFriend(userID: userID), clientID: clientID)
    if let status = outcome.status { return status }
    // It was sent, whatever comes of the question.
    return (try? await fetchFriendshipStatus(with: userID)) ?? .outgoing
  }

  /// Accepts or declines a pending request to me.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func respondToFriendRequest(
    userID: UUID, accept: Bool, clientID: UUID = UUID()
  ) async throws {
    log.info("respondToFriendRequest — user: \(userID.wireText), accept: \(accept)")
    _ = try await client.call(
      RespondToFriendRequest(userID: userID, accept: accept), clientID: clientID)
  }

  /// Withdraws my own pending request.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func cancelFriendRequest(userID: UUID, clientID: UUID = UUID()) async throws {
    log.info("cancelFriendRequest — user: \(userID.wireText)")
    _ = try await client.call(CancelFriendRequest(userID: userID), clientID: clientID)
  }

  /// Ends a friendship, for both.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func removeFriend(userID: UUID, clientID: UUID = UUID()) async throws {
    log.info("removeFriend — user: \(userID.wireText)")
    _ = try await client.call(RemoveFriend(userID: userID), clientID: clientID)
  }

  /// Ends friendship, requests and presence both ways at once.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func blockUser(userID: UUID, clientID: UUID = UUID()) async throws {
    log.info("blockUser — user: \(userID.wireText)")
    _ = try await client.call(BlockUser(userID: userID), clientID: clientID)
  }

  /// Lifts a block; an earlier friendship does not return.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func unblockUser(userID: UUID, clientID: UUID = UUID()) async throws {
    log.info("unblockUser — user: \(userID.wireText)")
    _ = try await client.call(UnblockUser(userID: userID), clientID: clientID)
  }

  /// Asks a friend where they are; again within ten minutes it changes nothing.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func askLocation(of userID: UUID, clientID: UUID = UUID()) async throws {
    log.info("askLocation — user: \(userID.wireText)")
    _ = try await client.call(AskLocation(userID: userID), clientID: clientID)
  }

  /// Closes a friend's question where I am; without one nothing happens.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func closeLocationAsk(of userID: UUID, clientID: UUID = UUID()) async throws {
    log.info("closeLocationAsk — user: \(userID.wireText)")
    _ = try await client.call(CloseLocationAsk(userID: userID), clientID: clientID)
  }
}
