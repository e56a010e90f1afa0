import FoundationEssentials
import RallyWire

// MARK: - Asking Where Somebody Is

extension SocialStore {
  /// Asks a friend where they are.
  ///
  /// - What: The friend may answer with a share; that, and nothing else, shows here.
  /// - How: The question shows at once, and is taken back if the server refuses.
  /// - Why: Whoever does not answer must not have to explain why.
  /// - Service Calls: `FriendsService.askLocation`
  /// - Parameter friend: Who is asked.
  @discardableResult
  public func askLocation(of friend: CommunityProfile) async -> IntentOutcome<FriendshipStatus> {
    let service = friendsService
    return await sendIntent(
      friend.id, as: .askedLocation(friend.id), source: "askLocation",
      failureTitle: "\(friend.displayName) was not asked"
    ) { clientID in
      try await service.askLocation(of: friend.id, clientID: clientID)
    }
  }

  /// Asks several friends where they are, one after the other.
  ///
  /// - What: As if each were asked alone, but no failure is presented.
  /// - How: `askLocation` for one after the other; a failure does not hold up the rest.
  /// - Why: A person who asks many wants one report, not one for each.
  /// - Service Calls: `FriendsService.askLocation`
  public func askLocations(of friends: [CommunityProfile]) async -> BulkOutcome<CommunityProfile> {
    await BulkOutcome(friends) { await self.askLocation(of: $0) }
  }

  /// Closes a friend's question where I am; the friend is not told.
  ///
  /// - What: The question waits no more, here and on my other terminals.
  /// - How: It leaves at once, and comes back if the server refuses.
  /// - Why: Not answering is an answer that costs one key.
  /// - Service Calls: `FriendsService.closeLocationAsk`
  /// - Parameter friendID: Who asked.
  @discardableResult
  public func closeLocationAsk(of friendID: UUID) async -> IntentOutcome<FriendshipStatus> {
    let service = friendsService
    return await sendIntent(
      friendID, as: .closedLocationAsk(friendID), source: "closeLocationAsk",
      failureTitle: "The question was not dismissed"
    ) { clientID in
      try await service.closeLocationAsk(of: friendID, clientID: clientID)
    }
  }
}
