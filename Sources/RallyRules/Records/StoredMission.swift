import Foundation
import RallyStorage
import RallyWire

/// A row of `missions`. `MissionAccess` decides what a reader sees of it.
package struct StoredMission: Hashable, Sendable {
  let id: UUID
  /// The creator's id as text; nil once the account is deleted.
  var creator: String?
  package var title: String
  var brief: String
  package var centre: Coordinate
  /// Metres.
  var radiusMetres: Double
  package var startsAt: WireTime
  var endsAt: WireTime?
  /// nil for a mission that does not repeat.
  package var series: MissionSeries?
  var capacity: Int?
  var visibility: MissionVisibility
  package var state: MissionState
  let createdAt: WireTime
  var closedAt: WireTime?
  /// Who completed it, as text: readers from whom that user is hidden do not see `closedAt`. nil
  /// for a mission that is not completed by a member.
  var closedBy: String?
  /// Whether its members are asked to show the way when it starts.
  var isLive = false
  var version: Int64

  /// The id in storage.
  package var key: String { id.wireText }

  package func phase(at time: WireTime) -> MissionPhase {
    MissionPhase(state: state, startsAt: startsAt, endsAt: endsAt, at: time)
  }

  func isClosed(byOneOf people: Set<String>) -> Bool { closedBy.map(people.contains) ?? false }

  func isCreated(byOneOf people: Set<String>) -> Bool {
    creator.map(people.contains) ?? false
  }

  /// When it was over, by its state or its end; nil while it is open and if the reader may not know
  /// the time.
  ///
  /// - Parameter hidden: Users hidden from the reader.
  func over(at time: WireTime, hidden: Set<String>) -> WireTime? {
    if phase(at: time).isOpen { return nil }
    return (isClosed(byOneOf: hidden) ? nil : closedAt) ?? endsAt
  }
}

/// Stored as JSON.
extension MissionSeries: SQLConvertible {
  /// Texts, times and lists of them always encode.
  package var sqlValue: SQLValue { (try? WireJSON.text(self)).map(SQLValue.text) ?? .null }

  package init?(_ value: SQLValue) {
    guard case .text(let text) = value,
      let series = try? WireJSON.decode(MissionSeries.self, from: Data(text.utf8))
    else { return nil }
    self = series
  }
}

// MARK: - Columns

extension StoredMission {
  /// The columns of `missions`. `z` is the centre's place on a Z-order curve.
  package enum Column: Int, TableColumn {
    case id, creator, title, brief, latitude, longitude, radiusM, startsAt, endsAt, capacity
    case visibility, state, createdAt, closedAt, version, closedBy, series, isLive, z, nextStartsAt
  }

  static let table = StoredTable<Column>("missions", as: "m", key: [.id], unread: 2)

  init(_ row: Row) throws {
    guard let centre = try row.coordinate(Column.latitude, Column.longitude) else {
      throw StorageFailure.damaged("a mission has no place")
    }
    self.init(
      id: try row[Column.id], creator: try row[Column.creator], title: try row[Column.title],
      brief: try row[Column.brief], centre: centre, radiusMetres: try row[Column.radiusM],
      startsAt: try row[Column.startsAt], endsAt: try row[Column.endsAt],
      series: try row[Column.series], capacity: try row[Column.capacity],
      visibility: try row[Column.visibility],
      state: try row[Column.state], createdAt: try row[Column.createdAt],
      closedAt: try row[Column.closedAt], closedBy: try row[Column.closedBy],
      isLive: try row[Column.isLive], version: try row[Column.version])
  }

  package func value(of column: Column) -> (any SQLConvertible)? {
    switch column {
    case .id: id
    case .creator: creator
    case .title: title
    case .brief: brief
    case .latitude: centre.latitudeUnits
    case .longitude: centre.longitudeUnits
    case .radiusM: radiusMetres
    case .startsAt: startsAt
    case .endsAt: endsAt
    case .capacity: capacity
    case .visibility: visibility
    case .state: state
    case .createdAt: createdAt
    case .closedAt: closedAt
    case .version: version
    case .closedBy: closedBy
    case .series: series
    case .isLive: isLive
    case .z: ZOrder(centre).value
    case .nextStartsAt: series?.nextStartsAt
    }
  }
}

/// A row of `objectives` with its latest check-in.
struct StoredObjective: Hashable, Sendable {
  let id: UUID
  var title: String
  /// nil for the mission's place.
  var place: Coordinate?
  /// Metres; nil for the mission's radius.
  var radiusMetres: Double?
  /// The number of check-ins that complete it.
  var needed: Int
  /// The number of check-ins so far.
  var checkIns = 0
  var lastBy: String?
  var lastAt: WireTime?

  var isDone: Bool { checkIns >= needed }

  /// Whether both have the same definition, apart from check-ins.
  func isSame(as other: StoredObjective) -> Bool {
    id == other.id && title == other.title && place == other.place
      && radiusMetres == other.radiusMetres && needed == other.needed
  }
}

package struct StoredMember: Hashable, Sendable {
  let userID: String
  package var state: MissionMembership
  /// Who brought them: the inviter, the maker of the code, or the creator as their friend.
  var broughtBy: String
  var joinedAt: WireTime?
  /// Grows with every change of the row.
  var version: Int64 = 1
}
