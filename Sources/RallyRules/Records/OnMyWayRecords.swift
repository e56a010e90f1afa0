import Foundation
import RallyStorage
import RallyWire

/// One person's way to one mission.
package struct StoredWay: Hashable, Sendable {
  package let owner: String
  package let mission: String
  var beganAt: WireTime
  /// When it ends at the latest; nil once they arrived.
  package var until: WireTime?
  var arrivedAt: WireTime?
}

/// The tables `ways` and `way_readers`. A row with an end shows its owner precisely to its readers
/// until then; one without only says when the owner arrived.
package enum OnMyWayRecords {
  /// How long it is kept when somebody arrived.
  private static let retention = Duration.seconds(86_400)

  private static let columns = "w.owner, w.mission_id, w.began_at, w.until, w.arrived_at"

  /// A subquery of the people who are on the way at `:now` and show it to `:me`.
  static let followed = """
    SELECT r.owner FROM way_readers r
    JOIN ways w ON w.owner = r.owner AND w.mission_id = r.mission_id
    WHERE r.reader = :me AND w.until > :now
    """

  private static func way(_ row: Row) throws -> StoredWay {
    StoredWay(
      owner: try row["owner"], mission: try row["mission_id"], beganAt: try row["began_at"],
      until: try row["until"], arrivedAt: try row["arrived_at"])
  }

  private static func ways(
    where condition: String, _ arguments: StatementArguments, in database: Database
  ) throws -> [StoredWay] {
    try Row.fetchAll(
      database,
      sql: "SELECT \(columns) FROM ways w WHERE \(condition) ORDER BY w.owner, w.mission_id",
      arguments: arguments
    ).map(way)
  }

  // MARK: - Reading

  package static func all(of owner: String, in database: Database) throws -> [StoredWay] {
    try ways(where: "w.owner = ?", [owner], in: database)
  }

  package static func all(to mission: String, in database: Database) throws -> [StoredWay] {
    try ways(where: "w.mission_id = ?", [mission], in: database)
  }

  /// Those whose time is over, without those who arrived.
  static func ended(at time: WireTime, in database: Database) throws -> [StoredWay] {
    try ways(where: "w.until <= ?", [time.microseconds], in: database)
  }

  /// When the next way ends; nil if nobody is on one.
  package static func earliestEnd(in database: Database) throws -> WireTime? {
    try WireTime.fetchOne(database, sql: "SELECT min(until) FROM ways WHERE until IS NOT NULL")
  }

  /// Everybody to whom a person shows the way to any mission at a moment, with the latest end.
  static func readers(
    of owner: String, at time: WireTime, in database: Database
  ) throws -> [String: WireTime] {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT r.reader, max(w.until) AS until FROM ways w
        JOIN way_readers r ON r.owner = w.owner AND r.mission_id = w.mission_id
        WHERE w.owner = ? AND w.until > ? GROUP BY r.reader
        """, arguments: [owner, time.microseconds])
    return try rows.reduce(into: [:]) { $0[try $1["reader"]] = try $1["until"] as WireTime }
  }

  static func readers(of way: StoredWay, in database: Database) throws -> Set<String> {
    try String.fetchSet(
      database, sql: "SELECT reader FROM way_readers WHERE owner = ? AND mission_id = ?",
      arguments: [way.owner, way.mission])
  }

  /// A way with the name of who is on it.
  struct Listed: Sendable {
    let way: StoredWay
    let username: String
    let displayName: String
  }

  /// A person's own ways and those that are shown to them, of missions that are open.
  ///
  /// - Parameter mission: nil for all missions.
  static func listed(
    for reader: String, in mission: String?, at time: WireTime, from database: Database
  ) throws -> [Listed] {
    var arguments: StatementArguments = ["me": reader, "now": time.microseconds]
    if let mission { arguments += ["mission": mission] }
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT \(columns), p.username, p.display_name
        FROM ways w JOIN profiles p ON p.id = w.owner JOIN missions m ON m.id = w.mission_id
        WHERE (w.owner = :me OR EXISTS (SELECT 1 FROM way_readers r
            WHERE r.owner = w.owner AND r.mission_id = w.mission_id AND r.reader = :me))
          AND (w.until > :now OR w.arrived_at IS NOT NULL)
          AND m.state = 'open' AND (m.ends_at IS NULL OR m.ends_at > :now)
          \(mission == nil ? "" : "AND w.mission_id = :mission")
        ORDER BY w.mission_id, p.display_key, p.id
        """, arguments: arguments)
    return try rows.map { row in
      Listed(way: try way(row), username: try row["username"], displayName: try row["display_name"])
    }
  }

  // MARK: - Writing

  /// Stores a way in place of an earlier one to the same mission.
  static func begin(_ way: StoredWay, for readers: Set<String>, in database: Database) throws {
    try delete(way, in: database)
    try database.execute(
      sql: "INSERT INTO ways (owner, mission_id, began_at, until) VALUES (?, ?, ?, ?)",
      arguments: [
        way.owner, way.mission, way.beganAt.microseconds, way.until?.microseconds,
      ])
    for reader in readers.sorted() {
      try database.execute(
        sql: "INSERT INTO way_readers (owner, mission_id, reader) VALUES (?, ?, ?)",
        arguments: [way.owner, way.mission, reader])
    }
  }

  /// Stores the end and the arrival.
  package static func update(_ way: StoredWay, in database: Database) throws {
    try database.execute(
      sql: "UPDATE ways SET until = ?, arrived_at = ? WHERE owner = ? AND mission_id = ?",
      arguments: [
        way.until?.microseconds, way.arrivedAt?.microseconds, way.owner, way.mission,
      ])
  }

  package static func delete(_ way: StoredWay, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM ways WHERE owner = ? AND mission_id = ?",
      arguments: [way.owner, way.mission])
  }

  /// Hides ways from a reader.
  ///
  /// - Parameters:
  ///   - owner: nil for everybody's.
  ///   - mission: nil for those to all missions.
  /// - Returns: Whose ways the reader saw, in order.
  static func drop(
    _ reader: String, of owner: String? = nil, in mission: String? = nil, from database: Database
  ) throws -> [String] {
    var (condition, arguments): (String, StatementArguments) = ("reader = ?", [reader])
    if let owner {
      condition += " AND owner = ?"
      arguments += [owner]
    }
    if let mission {
      condition += " AND mission_id = ?"
      arguments += [mission]
    }
    let owners = try String.fetchSet(
      database, sql: "SELECT owner FROM way_readers WHERE \(condition)", arguments: arguments)
    try database.execute(sql: "DELETE FROM way_readers WHERE \(condition)", arguments: arguments)
    return owners.sorted()
  }

  package static func trim(at time: WireTime, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM ways WHERE arrived_at <= ?",
      arguments: [time.advanced(by: .zero - retention).microseconds])
  }
}
