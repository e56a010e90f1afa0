import ArgumentParser
import RallyCommand
import RallyDomain
import RallySystem
import RallyWire
import RallyWords

/// A verb that acts on one person.
struct PersonVerb<Act: PersonAct>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: Act.name, abstract: Act.abstract)
  }

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The person's username.") var username: String

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let person = try await session.person(named: username)
    let sentence = try await Act.act(on: person, by: session.services.friendsService)
    session.output.message(sentence)
  }
}

/// What such a verb is called and does.
protocol PersonAct {
  static var name: String { get }
  static var abstract: String { get }
  /// Returns what is said once it is done.
  static func act(on person: CommunityProfile, by service: FriendsService) async throws -> String
}

enum FriendsAdd: PersonAct {
  static let name = "add"
  static let abstract = "Ask somebody to be friends, or accept who asked you."

  static func act(on person: CommunityProfile, by service: FriendsService) async throws -> String {
    let status = try await service.requestFriend(userID: person.id)
    guard status == .friends else { return OutcomeText.asked(person.handle) }
    return person.friendshipStatus == .friends
      ? "You and \(person.handle) are friends already." : OutcomeText.friends(person.handle)
  }
}

enum FriendsAccept: PersonAct {
  static let name = "accept"
  static let abstract = "Accept a friend request."

  static func act(on person: CommunityProfile, by service: FriendsService) async throws -> String {
    try await service.respondToFriendRequest(userID: person.id, accept: true)
    return OutcomeText.friends(person.handle)
  }
}

enum FriendsDecline: PersonAct {
  static let name = "decline"
  static let abstract = "Decline a friend request."

  static func act(on person: CommunityProfile, by service: FriendsService) async throws -> String {
    try await service.respondToFriendRequest(userID: person.id, accept: false)
    return "You declined \(person.handle)."
  }
}

enum FriendsCancel: PersonAct {
  static let name = "cancel"
  static let abstract = "Withdraw a friend request of yours."

  static func act(on person: CommunityProfile, by service: FriendsService) async throws -> String {
    try await service.cancelFriendRequest(userID: person.id)
    return OutcomeText.withdrew(person.handle)
  }
}

enum FriendsRemove: PersonAct {
  static let name = "remove"
  static let abstract = "End a friendship."

  static func act(on person: CommunityProfile, by service: FriendsService) async throws -> String {
    try await service.removeFriend(userID: person.id)
    return OutcomeText.unfriended(person.handle)
  }
}

enum FriendsBlock: PersonAct {
  static let name = "block"
  static let abstract = "Block somebody; friendship and requests end both ways."

  static func act(on person: CommunityProfile, by service: FriendsService) async throws -> String {
    try await service.blockUser(userID: person.id)
    return OutcomeText.blocked(person.handle)
  }
}

enum FriendsUnblock: PersonAct {
  static let name = "unblock"
  static let abstract = "Unblock somebody."

  static func act(on person: CommunityProfile, by service: FriendsService) async throws -> String {
    try await service.unblockUser(userID: person.id)
    return person.friendshipStatus == .blocked
      ? OutcomeText.unblocked(person.handle) : "You do not block \(person.handle)."
  }
}
