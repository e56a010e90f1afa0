import Foundation
import RallyWire

/// A row of `missions`, as it is kept; what a reader may see of it says `MissionAccess`.
struct StoredMission: Hashable, Sendable {
  let id: UUID
  /// The creator's id as text; nil once that account is gone.
  var creator: String?
  var title: String
  var brief: String
  var centre: Coordinate
  /// Metres.
  var radiusMetres: Double
  var startsAt: WireTime
  var endsAt: WireTime?
  var capacity: Int?
  var visibility: MissionVisibility
  var state: MissionState
  let createdAt: WireTime
  var closedAt: WireTime?
  /// Who completed it, as text: whoever does not know of them learns no time. nil for a mission that
  /// is not completed, and where nobody is in the way.
  var closedBy: String?
  var version: Int64

  /// The id in storage.
  var key: String { id.wireText }

  func phase(at time: WireTime) -> MissionPhase {
    MissionPhase(state: state, startsAt: startsAt, endsAt: endsAt, at: time)
  }

  func isClosed(byOneOf people: Set<String>) -> Bool { closedBy.map(people.contains) ?? false }

  func isCreated(byOneOf people: Set<String>) -> Bool {
    creator.map(people.contains) ?? false
  }

  /// When it was over, by its state or by its end, as far as a reader may know; nil while it is not,
  /// and where the time is not theirs to know.
  ///
  /// - Parameter hidden: Who does not exist for the reader.
  func over(at time: WireTime, hidden: Set<String>) -> WireTime? {
    if phase(at: time).isOpen { return nil }
    return (isClosed(byOneOf: hidden) ? nil : closedAt) ?? endsAt
  }
}

/// A row of `objectives` with the latest of its check-ins.
struct StoredObjective: Hashable, Sendable {
  let id: UUID
  var title: String
  /// nil for the mission's.
  var place: Coordinate?
  /// Metres; nil for the mission's.
  var radiusMetres: Double?
  /// How many check-ins it takes.
  var needed: Int
  /// How many were made.
  var checkIns = 0
  var lastBy: String?
  var lastAt: WireTime?

  var isDone: Bool { checkIns >= needed }

  /// Whether both ask for the same.
  func isSame(as other: StoredObjective) -> Bool {
    id == other.id && title == other.title && place == other.place
      && radiusMetres == other.radiusMetres && needed == other.needed
  }
}

/// A row of `mission_members`.
struct StoredMember: Hashable, Sendable {
  let userID: String
  var state: MissionMembership
  /// Through whom they came: who invited them or made the code, or the creator as their friend.
  var broughtBy: String
  var joinedAt: WireTime?
  /// Counts the changes of this row.
  var version: Int64 = 1
}
