import ArgumentParser
import RallyCommand
import RallyDomain
import RallySystem
import RallyWire

/// A verb that acts on one person.
protocol PersonVerb: AsyncParsableCommand {
  var global: GlobalOptions { get }
  var username: String { get }
  func act(on person: CommunityProfile, with service: FriendsService) async throws -> String
}

extension PersonVerb {
  func run() async throws {
    let session = try await CommandSession(global)
    _ = try await session.requireSession()
    let person = try await session.person(named: username)
    let sentence = try await act(on: person, with: session.services.friendsService)
    session.output.message(sentence)
  }
}

struct FriendsAdd: PersonVerb {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Ask somebody to be friends, or accept who asked you.")
  @OptionGroup var global: GlobalOptions
  @Argument(help: "The person's username.") var username: String

  func act(on person: CommunityProfile, with service: FriendsService) async throws -> String {
    let status = try await service.requestFriend(userID: person.id)
    guard status == .friends else { return "You asked \(person.handle)." }
    let since = person.friendshipStatus == .friends ? "already" : "now"
    return "You and \(person.handle) are friends \(since)."
  }
}

struct FriendsAccept: PersonVerb {
  static let configuration = CommandConfiguration(
    commandName: "accept", abstract: "Accept a friend request.")
  @OptionGroup var global: GlobalOptions
  @Argument(help: "The person's username.") var username: String

  func act(on person: CommunityProfile, with service: FriendsService) async throws -> String {
    try await service.respondToFriendRequest(userID: person.id, accept: true)
    return "You and \(person.handle) are friends now."
  }
}

struct FriendsDecline: PersonVerb {
  static let configuration = CommandConfiguration(
    commandName: "decline", abstract: "Decline a friend request.")
  @OptionGroup var global: GlobalOptions
  @Argument(help: "The person's username.") var username: String

  func act(on person: CommunityProfile, with service: FriendsService) async throws -> String {
    try await service.respondToFriendRequest(userID: person.id, accept: false)
    return "You declined \(person.handle)."
  }
}

struct FriendsCancel: PersonVerb {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Withdraw a friend request of yours.")
  @OptionGroup var global: GlobalOptions
  @Argument(help: "The person's username.") var username: String

  func act(on person: CommunityProfile, with service: FriendsService) async throws -> String {
    try await service.cancelFriendRequest(userID: person.id)
    return "You withdrew your request to \(person.handle)."
  }
}

struct FriendsRemove: PersonVerb {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "End a friendship.")
  @OptionGroup var global: GlobalOptions
  @Argument(help: "The person's username.") var username: String

  func act(on person: CommunityProfile, with service: FriendsService) async throws -> String {
    try await service.removeFriend(userID: person.id)
    return "You and \(person.handle) are no longer friends."
  }
}

struct FriendsBlock: PersonVerb {
  static let configuration = CommandConfiguration(
    commandName: "block", abstract: "Block somebody; friendship and requests end both ways.")
  @OptionGroup var global: GlobalOptions
  @Argument(help: "The person's username.") var username: String

  func act(on person: CommunityProfile, with service: FriendsService) async throws -> String {
    try await service.blockUser(userID: person.id)
    return "You blocked \(person.handle)."
  }
}

struct FriendsUnblock: PersonVerb {
  static let configuration = CommandConfiguration(
    commandName: "unblock", abstract: "Unblock somebody.")
  @OptionGroup var global: GlobalOptions
  @Argument(help: "The person's username.") var username: String

  func act(on person: CommunityProfile, with service: FriendsService) async throws -> String {
    try await service.unblockUser(userID: person.id)
    return person.friendshipStatus == .blocked
      ? "You unblocked \(person.handle)." : "You do not block \(person.handle)."
  }
}
