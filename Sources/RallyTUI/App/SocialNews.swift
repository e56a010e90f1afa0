import Foundation
import RallyDomain

/// Who stands where, as far as news can be told from it.
@MainActor
struct SocialStanding: Equatable {
  var isKnown: Bool
  var friends: [UUID: String]
  var incoming: [UUID: String]
  var outgoing: [UUID: String]
  var settling: Set<UUID>

  init(_ socialStore: SocialStore) {
    isKnown = socialStore.asOf != nil
    friends = [:]
    incoming = [:]
    outgoing = [:]
    for friend in socialStore.friends { friends[friend.id] = friend.handle }
    for item in socialStore.incomingRequests { incoming[item.id] = item.profile.handle }
    for item in socialStore.outgoingRequests { outgoing[item.id] = item.profile.handle }
    settling = socialStore.settlingProfileIDs
  }
}

/// What others did between two snapshots, said in sentences; one's own acts are left out.
@MainActor
enum SocialNews {
  static func sentences(from old: SocialStanding, to new: SocialStanding) -> [String] {
    guard old.isKnown, new.isKnown else { return [] }
    let asking = new.incoming.filter { old.incoming[$0.key] == nil && old.friends[$0.key] == nil }
    let accepted = new.friends.filter {
      old.friends[$0.key] == nil && old.outgoing[$0.key] != nil && !old.settling.contains($0.key)
    }
    return told(asking, one: "asks to be your friend.", many: "people ask to be your friends.")
      + told(accepted, one: "is a friend now.", many: "people are friends now.")
  }

  private static func told(_ people: [UUID: String], one: String, many: String) -> [String] {
    switch people.count {
    case 0: []
    case 1: people.values.map { "\($0) \(one)" }
    default: ["\(people.count) \(many)"]
    }
  }
}
