import RallyDomain
import RallyWire

extension SocialStore {
  /// The requests for me, then my own, as people.
  var requestEntries: [PersonEntry] {
    func entries(_ items: [FriendRequestItem], _ status: FriendshipStatus) -> [PersonEntry] {
      items.map {
        PersonEntry(
          profile: $0.profile, status: status, askedAt: $0.createdAt,
          isSettling: isSettling($0.id))
      }
    }
    return entries(incomingRequests, .incoming) + entries(outgoingRequests, .outgoing)
  }
}

extension MissionsStore {
  /// Every mission of a list once: mine first, then those nearby and those that are over.
  var knownMissions: [Mission] {
    var known: Set<Mission.ID> = []
    return (active + nearby + done).filter { known.insert($0.id).inserted }
  }
}
