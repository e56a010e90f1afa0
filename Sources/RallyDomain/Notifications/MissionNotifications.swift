import FoundationEssentials
import RallyClient
import RallyWire

/// A snapshot of my missions, from which changes are derived.
@MainActor
struct MissionStatus: Equatable {
  struct Entry: Equatable {
    var title: String
    var membership: MissionMembership?
    var state: MissionState
    var isMine: Bool
    /// When it was completed with all that was to be done; nil otherwise.
    var allDoneAt: WireTime?
    /// Who is in it besides me; of my own open missions only.
    var others: [UUID: String]
    /// The creator; nil if unknown.
    var creator: String?
  }

  var isKnown: Bool
  var entries: [UUID: Entry]
  var inFlightIDs: Set<UUID>
  /// Whether the server said so to this program.
  var hasFetched = true
}

extension MissionStatus {
  init(_ missionsStore: MissionsStore) {
    isKnown = missionsStore.asOf != nil
    hasFetched = missionsStore.hasFetched
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
        allDoneAt: mission.objectives.isEmpty || !mission.objectives.allSatisfy(\.isDone)
          ? nil : mission.closedAt,
        others: others,
        creator: mission.members.first { mission.isCreator($0.userID) }?.username)
    }
    inFlightIDs = missionsStore.inFlightIDs
  }
}

/// Who has arrived at missions, and whether this program fetched that.
struct ArrivalStatus: Equatable {
  var hasFetched: Bool
  var rows: [ComingRecord]
}

/// What others did in missions between two snapshots, said in sentences; one's own acts are left
/// out.
@MainActor
enum MissionNotifications {
  /// Missions that were just completed with all that was to be done, which is shown as a card. What
  /// ended while the program was closed is said in a sentence only.
  static func cards(
    from old: MissionStatus, to new: MissionStatus, at now: WireTime = .now
  ) -> [UUID] {
    changes(from: old, to: new).completed.filter { _, entry in
      entry.allDoneAt.map { now.since($0) < moment } ?? false
    }.map(\.key)
  }

  /// How long the end of a mission is news, on a slow connection too.
  private static let moment = Duration.seconds(600)

  static func sentences(from old: MissionStatus, to new: MissionStatus) -> [String] {
    let changes = changes(from: old, to: new)
    return invitationSentences(changes.invited.map { $0.value.title }) + changes.others
  }

  /// The same for somebody who looks elsewhere; who joined is not worth it.
  static func events(from old: MissionStatus, to new: MissionStatus) -> [NotificationEvent] {
    let changes = changes(from: old, to: new)
    return changes.invited.map { id, entry in
      NotificationEvent(
        .invitation, username: entry.creator, missionID: id, title: entry.title,
        isNew: old.hasFetched)
    }
      + changes.completed.map { id, entry in
        NotificationEvent(
          .completion, missionID: id, title: entry.title,
          isNew: old.hasFetched)
      }
  }

  /// What others said since: lines come as they are said, so none of them is old.
  static func events(from old: [MissionActivityRecord], to new: [MissionActivityRecord])
    -> [NotificationEvent]
  {
    let known = Set(old.map(\.id))
    return new.filter { !known.contains($0.id) }.map {
      NotificationEvent(
        .message, username: $0.username, missionID: $0.missionID, title: $0.missionTitle,
        text: $0.text ?? "")
    }
  }

  /// Those who arrived at missions, without me.
  ///
  /// - Parameter title: Of a mission; nil for one that is unknown.
  static func events(
    arrived rows: [ComingRecord], besides me: UUID?, at title: (UUID) -> String?
  ) -> [NotificationEvent] {
    rows.filter { $0.userID != me }.compactMap { row in
      title(row.missionID).map {
        NotificationEvent(
          .arrival, username: row.username, missionID: row.missionID, title: $0)
      }
    }
  }

  private struct Changes {
    typealias Entry = (key: UUID, value: MissionStatus.Entry)

    var invited: [Entry] = []
    var completed: [Entry] = []
    /// Ends and arrivals, in sentences.
    var others: [String] = []
  }

  private static func changes(from old: MissionStatus, to new: MissionStatus) -> Changes {
    var changes = Changes()
    guard old.isKnown, new.isKnown else { return changes }
    let inFlightIDs = old.inFlightIDs.union(new.inFlightIDs)
    let entries = new.entries.sorted { $0.key < $1.key }
    for (id, entry) in entries where !inFlightIDs.contains(id) {
      guard let earlier = old.entries[id] else {
        if entry.membership == .invited { changes.invited.append((id, entry)) }
        continue
      }
      if entry.membership == .invited, earlier.membership != .invited {
        changes.invited.append((id, entry))
      }
      if entry.state != earlier.state, entry.state != .open {
        changes.others.append("“\(entry.title)” is \(entry.state.rawValue).")
        if entry.state == .completed { changes.completed.append((id, entry)) }
      } else if entry.isMine, earlier.state == .open {
        let joined = entry.others.filter { earlier.others[$0.key] == nil }.values.sorted()
        changes.others += sentences(joined, in: entry.title)
      }
    }
    return changes
  }

  private static func invitationSentences(_ titles: [String]) -> [String] {
    switch titles.count {
    case 0: []
    case 1: titles.map { "You are invited to “\($0)”." }
    default: ["You are invited to \(titles.count) missions."]
    }
  }

  private static func sentences(_ people: [String], in title: String) -> [String] {
    switch people.count {
    case 0: []
    case 1: people.map { "\($0) joined “\(title)”." }
    default: ["\(people.count) people joined “\(title)”."]
    }
  }
}
