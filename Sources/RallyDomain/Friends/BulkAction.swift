import Foundation

/// What can be done with many people at once.
public enum BulkAction: Hashable, Sendable, CaseIterable {
  case accept, decline, cancel, unfriend, block, ask

  /// What restores how things were; nil where nothing does.
  public var inverse: BulkAction? {
    switch self {
    case .ask: .cancel
    case .cancel: .ask
    case .accept, .decline, .unfriend, .block: nil
    }
  }
}

/// How an act with many ended for each of them.
public struct ManyOutcome: Sendable {
  /// Those with whom it was done, in order.
  public var done: [CommunityProfile] = []
  /// Those with whom it was not, each with a sentence that says why.
  public var failures: [(person: CommunityProfile, sentence: String)] = []

  public init() {}
}

extension SocialStore {
  /// Does the same with several people, one after the other.
  ///
  /// - What: Each of them is settled as if the act were done alone; nothing is presented, the
  ///   outcome says how it went with each.
  /// - How: The act's own intent for one after the other; one that fails does not hold up the rest.
  /// - Why: A person who acts on many wants one answer, not one for each.
  /// - Service Calls: those of the act.
  public func settle(_ people: [CommunityProfile], by act: BulkAction) async -> ManyOutcome {
    var outcome = ManyOutcome()
    for person in people {
      guard !isSettling(person.id) else {
        outcome.failures.append((person, "Something else is on its way to the server."))
        continue
      }
      manyFailures[person.id] = ""
      switch act {
      case .accept: await respondToFriendRequest(person.id, action: .accept)
      case .decline: await respondToFriendRequest(person.id, action: .decline)
      case .cancel: await respondToFriendRequest(person.id, action: .cancel)
      case .unfriend: await unfriend(person)
      case .block: await block(person)
      case .ask: await requestFriend(person.id, person: person)
      }
      let failure = manyFailures.removeValue(forKey: person.id) ?? ""
      if failure.isEmpty {
        outcome.done.append(person)
      } else {
        outcome.failures.append((person, failure))
      }
    }
    return outcome
  }
}
