import ArgumentParser

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
