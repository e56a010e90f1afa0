import ArgumentParser

struct FriendsVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "friends", abstract: "List, find, ask, answer and block people.",
    subcommands: [
      FriendsList.self, FriendsRequests.self, FriendsSearch.self, FriendsBlocked.self,
      FriendsAdd.self, FriendsAccept.self, FriendsDecline.self, FriendsCancel.self,
      FriendsRemove.self, FriendsBlock.self, FriendsUnblock.self, FriendsLocate.self,
      FriendsAsks.self, FriendsAnswer.self,
    ],
    defaultSubcommand: FriendsList.self)
}
