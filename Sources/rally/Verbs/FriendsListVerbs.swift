import ArgumentParser
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
    let all = try await session.friends()
    let friends = filter.map { text in all.filter { $0.matches(text) } } ?? all
    let now = WireTime.now
    try session.list(
      friends, as: FriendRow.init, headings: ["name", "username", "presence"],
      nothing: all.isEmpty
        ? "No friends yet. `rally friends add USERNAME` asks." : "No friend's name contains that."
    ) { friend in
      let seen = friend.lastSeen.map { "seen \(Age.sentence($0, at: now))" }
      return [friend.displayName, friend.handle, friend.isOnline ? "online" : seen ?? "offline"]
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
    let now = WireTime.now
    try session.list(
      items, as: RequestRow.init, headings: ["", "name", "username", "asked"],
      nothing: "No pending requests."
    ) { item in
      [
        item.direction == .incoming ? "from" : "to", item.profile.displayName,
        item.profile.handle, Age.sentence(item.createdAt, at: now),
      ]
    }
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
    try session.list(
      people.rows, as: PersonRow.init, headings: ["name", "username", ""], nothing: "Nobody found."
    ) { [$0.displayName, $0.handle, $0.friendshipStatus?.words ?? ""] }
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
    try session.list(
      people, as: BlockedRow.init, headings: ["name", "username"], nothing: "You block nobody."
    ) { [$0.displayName, $0.handle] }
  }
}

extension FriendshipStatus {
  fileprivate var words: String {
    switch self {
    case .none: ""
    case .outgoing: "asked"
    case .incoming: FriendshipStatus.asksForFriendship
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

struct RequestRow: JSONRow {
  let item: FriendRequestItem

  init(_ item: FriendRequestItem) { self.item = item }

  var members: [String: (any Encodable)?] {
    [
      "direction": item.direction,
      "id": item.id.wireText,
      "username": item.profile.username,
      "display_name": item.profile.displayName,
      "created_at": item.createdAt,
    ]
  }
}

struct PersonRow: JSONRow {
  let person: CommunityProfile

  init(_ person: CommunityProfile) { self.person = person }

  var members: [String: (any Encodable)?] {
    [
      "id": person.id.wireText,
      "username": person.username,
      "display_name": person.displayName,
      "friendship_status": person.friendshipStatus ?? FriendshipStatus.none,
    ]
  }
}

struct BlockedRow: JSONRow {
  let person: CommunityProfile

  init(_ person: CommunityProfile) { self.person = person }

  var members: [String: (any Encodable)?] {
    [
      "id": person.id.wireText,
      "username": person.username,
      "display_name": person.displayName,
      "created_at": person.since,
    ]
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
