import ArgumentParser
import FoundationEssentials
import RallyClient
import RallyCommand
import RallyDomain
import RallySystem
import RallyWire

struct FriendsVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "friends", abstract: "List, find, ask, answer and block people.",
    subcommands: [
      FriendsList.self, FriendsRequests.self, FriendsSearch.self, FriendsBlocked.self,
      PersonVerb<FriendsAdd>.self, PersonVerb<FriendsAccept>.self, PersonVerb<FriendsDecline>.self,
      PersonVerb<FriendsCancel>.self,
      PersonVerb<FriendsRemove>.self, PersonVerb<FriendsBlock>.self,
      PersonVerb<FriendsUnblock>.self, FriendsLocate.self,
      FriendsAsks.self, FriendsAnswer.self,
    ],
    defaultSubcommand: FriendsList.self)
}

struct FriendsList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List your friends.")

  @OptionGroup var global: GlobalOptions
  @Option(help: "Only those whose name or username contains this.") var filter: String?

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let friendsService = await session.services.friendsService
    let all = try await Pages.all {
      try await friendsService.fetchFriends(limit: Paging.maximumLimit, offset: $0)
    }
    let friends = filter.map { text in all.filter { $0.matches(text) } } ?? all
    if global.json { return try session.output.json(friends.map(FriendRow.init)) }
    let now = WireTime.now
    session.output.table(
      friends.map { friend in
        [
          friend.displayName, friend.handle,
          friend.isOnline
            ? "online" : friend.lastSeen.map { "seen \(Age.sentence($0, at: now))" } ?? "offline",
        ]
      }, headings: ["name", "username", "presence"])
    if all.isEmpty {
      session.output.message("No friends yet. `rally friends add USERNAME` asks.")
    } else if friends.isEmpty {
      session.output.message("No friend's name contains that.")
    }
  }
}

struct FriendsRequests: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "requests", abstract: "List the pending friend requests.")

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Only those that you can answer.") var incoming = false
  @Flag(help: "Only those you made.") var outgoing = false

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let friendsService = await session.services.friendsService
    var items: [FriendRequestItem] = []
    for direction in RequestDirection.allCases
    where incoming == outgoing || (direction == .incoming) == incoming {
      items += try await Pages.all {
        try await friendsService.fetchFriendRequests(
          direction: direction, limit: Paging.maximumLimit, offset: $0)
      }
    }
    if global.json { return try session.output.json(items.map(RequestRow.init)) }
    let now = WireTime.now
    session.output.table(
      items.map { item in
        [
          item.direction == .incoming ? "from" : "to", item.profile.displayName,
          item.profile.handle, Age.sentence(item.createdAt, at: now),
        ]
      }, headings: ["", "name", "username", "asked"])
    if items.isEmpty { session.output.message("No pending requests.") }
  }
}

struct FriendsSearch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find people by name or username.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "Part of a name or of a username.") var text: String
  @Option(help: "At most this many.") var limit = 50

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let people = try await session.services.friendsService.searchPeople(query: text, limit: limit)
    if global.json { return try session.output.json(people.map(PersonRow.init)) }
    session.output.table(
      people.map { [$0.displayName, $0.handle, $0.friendshipStatus?.words ?? ""] },
      headings: ["name", "username", ""])
    if people.isEmpty { session.output.message("Nobody found.") }
  }
}

struct FriendsBlocked: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blocked", abstract: "List the people you block.")

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let friendsService = await session.services.friendsService
    let people = try await Pages.all {
      try await friendsService.fetchBlockedUsers(limit: Paging.maximumLimit, offset: $0)
    }
    if global.json { return try session.output.json(people.map(BlockedRow.init)) }
    session.output.table(
      people.map { [$0.displayName, $0.handle] }, headings: ["name", "username"])
    if people.isEmpty { session.output.message("You block nobody.") }
  }
}

extension FriendshipStatus {
  fileprivate var words: String {
    switch self {
    case .none: ""
    case .outgoing: "asked"
    case .incoming: "wants to be friends"
    case .friends: "friend"
    case .blocked: "blocked"
    }
  }
}

// The rows that the friends verbs print with `--json`. Scripts build on these names: nothing is
// renamed or left out, and what is unknown is null.

struct FriendRow: JSONRow {
  let friend: CommunityProfile

  init(_ friend: CommunityProfile) { self.friend = friend }

  var members: [String: (any Encodable)?] {
    [
      "id": friend.id.wireText,
      "username": friend.username,
      "display_name": friend.displayName,
      "since": friend.since,
      "presence": friend.presence ?? Presence.offline,
      "last_seen": friend.lastSeen,
    ]
  }
}

struct RequestRow: Encodable {
  var direction: RequestDirection
  var id: UUID
  var username: String
  var displayName: String
  var createdAt: WireTime

  init(_ item: FriendRequestItem) {
    direction = item.direction
    id = item.id
    username = item.profile.username
    displayName = item.profile.displayName
    createdAt = item.createdAt
  }

  enum CodingKeys: String, CodingKey {
    case direction, id, username
    case displayName = "display_name"
    case createdAt = "created_at"
  }
}

struct PersonRow: Encodable {
  var id: UUID
  var username: String
  var displayName: String
  var friendshipStatus: FriendshipStatus

  init(_ person: CommunityProfile) {
    id = person.id
    username = person.username
    displayName = person.displayName
    friendshipStatus = person.friendshipStatus ?? .none
  }

  enum CodingKeys: String, CodingKey {
    case id, username
    case displayName = "display_name"
    case friendshipStatus = "friendship_status"
  }
}

struct BlockedRow: Encodable {
  var id: UUID
  var username: String
  var displayName: String
  var createdAt: WireTime?

  init(_ person: CommunityProfile) {
    id = person.id
    username = person.username
    displayName = person.displayName
    createdAt = person.since
  }

  enum CodingKeys: String, CodingKey {
    case id, username
    case displayName = "display_name"
    case createdAt = "created_at"
  }
}

/// A question where somebody is.
struct LocationAskRow: JSONRow {
  let ask: LocationAskRecord

  init(_ ask: LocationAskRecord) { self.ask = ask }

  var members: [String: (any Encodable)?] {
    [
      "direction": ask.direction,
      "id": ask.userID.wireText,
      "username": ask.username,
      "display_name": ask.displayName,
      "asked_at": ask.askedAt,
      "expires_at": ask.askedAt.advanced(by: LocationAskRecord.lifetime),
    ]
  }
}
