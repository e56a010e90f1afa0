import Foundation
import RallyDomain
import RallyWire

/// How I stand to missions, as far as news can be told from it.
@MainActor
struct MissionStanding: Equatable {
  struct Entry: Equatable {
    var title: String
    var membership: MissionMembership?
    var state: MissionState
    var isMine: Bool
    /// Who is in it besides me; of my own open missions only.
    var others: [UUID: String]
  }

  var isKnown: Bool
  var entries: [UUID: Entry]
  var settling: Set<UUID>
}

extension MissionStanding {
  init(_ missionsStore: MissionsStore) {
    isKnown = missionsStore.asOf != nil
    let userID = missionsStore.userID
    entries = [:]
    for mission in missionsStore.active + missionsStore.done {
      let isMine = mission.isCreator(userID)
      var others: [UUID: String] = [:]
      if isMine, mission.state == .open {
        for member in mission.joined where member.userID != userID {
          others[member.userID] = "@\(member.username)"
        }
      }
      entries[mission.id] = Entry(
        title: mission.title, membership: mission.myState, state: mission.state, isMine: isMine,
        others: others)
    }
    settling = missionsStore.settlingIDs
  }
}

/// What others did in missions between two snapshots, said in sentences; one's own acts are left
/// out.
@MainActor
enum MissionNews {
  static func sentences(from old: MissionStanding, to new: MissionStanding) -> [String] {
    guard old.isKnown, new.isKnown else { return [] }
    let settling = old.settling.union(new.settling)
    var invited: [String] = []
    var others: [String] = []
    let entries = new.entries.sorted { $0.key.uuidString < $1.key.uuidString }
    for (id, entry) in entries where !settling.contains(id) {
      guard let earlier = old.entries[id] else {
        if entry.membership == .invited { invited.append(entry.title) }
        continue
      }
      if entry.membership == .invited, earlier.membership != .invited {
        invited.append(entry.title)
      }
      if entry.state != earlier.state, entry.state != .open {
        others.append("“\(entry.title)” is \(entry.state.rawValue).")
      } else if entry.isMine {
        let joined = entry.others.filter { earlier.others[$0.key] == nil }.values.sorted()
        others += told(joined, in: entry.title)
      }
    }
    return toldInvitations(invited) + others
  }

  private static func toldInvitations(_ titles: [String]) -> [String] {
    switch titles.count {
    case 0: []
    case 1: titles.map { "You are invited to “\($0)”." }
    default: ["You are invited to \(titles.count) missions."]
    }
  }

  private static func told(_ people: [String], in title: String) -> [String] {
    switch people.count {
    case 0: []
    case 1: people.map { "\($0) joined “\(title)”." }
    default: ["\(people.count) people joined “\(title)”."]
    }
  }
}
