import RallyDomain
import RallyWire

extension SocialStore {
  /// Incoming friend requests, then outgoing ones.
  var requestEntries: [PersonEntry] {
    func entries(_ items: [FriendRequestItem], _ status: FriendshipStatus) -> [PersonEntry] {
      items.map {
        PersonEntry(
          profile: $0.profile, status: status, askedAt: $0.createdAt,
          isInFlight: isInFlight($0.id))
      }
    }
    return entries(incomingRequests, .incoming) + entries(outgoingRequests, .outgoing)
  }
}

extension MissionsStore {
  /// Each mission of any list once: mine first, then nearby ones and past ones.
  var knownMissions: [Mission] {
    var known: Set<Mission.ID> = []
    return (active + nearby + done).filter { known.insert($0.id).inserted }
  }
}
