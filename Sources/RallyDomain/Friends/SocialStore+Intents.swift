import FoundationEssentials
import RallyClient
import RallyState
import RallyWire

// MARK: - Blocking

extension SocialStore {
  /// Blocks a person: friendship, requests and presence end both ways.
  ///
  /// - What: Removes the person from every list once the server agreed.
  /// - How: The row stays, marked as in flight, until the response.
  /// - Why: Whoever blocks must be able to rely on what is shown.
  /// - Service Calls: `FriendsService.blockUser`
  /// - Parameter profile: The person, friend or not.
  @discardableResult
  public func block(_ profile: CommunityProfile) async -> IntentOutcome<FriendshipStatus> {
    let outcome = await sendIntent(
      profile.id, as: .blocked(profile.id), isOptimistic: false, source: "block",
      failureTitle: "\(profile.displayName) is not blocked"
    ) { try await $0.blockUser(userID: profile.id, clientID: $1) }
    if outcome.isDone { blocksRevision += 1 }
    return outcome
  }

  /// Lifts a block; an earlier friendship does not return.
  ///
  /// - What: The person may see me, ask me and be asked again.
  /// - How: Marked as in flight until the response.
  /// - Why: It changes what the lists and the search may show.
  /// - Service Calls: `FriendsService.unblockUser`
  /// - Parameter profile: The blocked person.
  @discardableResult
  public func unblock(_ profile: CommunityProfile) async -> IntentOutcome<FriendshipStatus> {
    let outcome = await sendIntent(
      profile.id, as: .unblocked(profile.id), isOptimistic: false, source: "unblock",
      failureTitle: "\(profile.displayName) is still blocked"
    ) { try await $0.unblockUser(userID: profile.id, clientID: $1) }
    if outcome.isDone { blocksRevision += 1 }
    return outcome
  }

  /// Fetches the people whom I block.
  ///
  /// - What: Fills `blocked`.
  /// - How: Fetches all pages; the people that are known stay until then.
  /// - Why: Nobody but me looks at them, and seldom: no refresh fetches them.
  /// - Service Calls: `FriendsService.fetchBlockedUsers`
  public func fetchBlocked() async {
    if blocked.value == nil { blocked = .loading }
    do {
      let people = try await Pages.all { [friendsService] in
        try await friendsService.fetchBlockedUsers(limit: Paging.maximumLimit, offset: $0)
      }
      blocked = .loaded(LoadingSuccess(value: people, timestamp: Date()))
    } catch {
      let viewError = presentFailure(
        error, title: "Blocked people could not be fetched", source: "fetchBlocked",
        isPresented: false)
      if !error.isExpectedError() {
        blocked = .failed(LoadingFailure(failure: viewError, timestamp: Date()))
      } else if blocked.isLoading() {
        blocked = .cancelled(Date())
      }
    }
  }
}

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
