/// An action that can be applied to several people.
public enum BulkAction: Hashable, Sendable, CaseIterable {
  case accept, decline, cancel, unfriend, block, ask

  /// The action that undoes it; nil if it cannot be undone.
  public var inverse: BulkAction? {
    switch self {
    case .ask: .cancel
    case .cancel: .ask
    case .accept, .decline, .unfriend, .block: nil
    }
  }
}

extension SocialStore {
  /// Carries out one action for several people, one after the other.
  ///
  /// - What: As if the action were done for each alone, but no failure is presented.
  /// - How: The action's own intent for one after the other; a failure does not hold up the rest.
  /// - Why: A person who acts on many wants one report, not one for each.
  /// - Service Calls: those of the action
  public func perform(
    _ action: BulkAction, for people: [CommunityProfile]
  ) async -> BulkOutcome<CommunityProfile> {
    await BulkOutcome(people) { person in
      switch action {
      case .accept:
        await self.respondToFriendRequest(person.id, action: .accept)
      case .decline:
        await self.respondToFriendRequest(person.id, action: .decline)
      case .cancel:
        await self.respondToFriendRequest(person.id, action: .cancel)
      case .unfriend: await self.unfriend(person)
      case .block: await self.block(person)
      case .ask: await self.requestFriend(person)
      }
    }
  }
}
