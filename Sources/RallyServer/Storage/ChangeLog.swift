import RallyWire

/// One entry of the change feed, written in the transaction that made the change.
struct Change: Hashable, Sendable {
  enum Table: String, Sendable {
    case friendships, locations, missions, sessions
    case missionMembers = "mission_members"
    case missionActivity = "mission_activity"
  }

  enum Operation: String, Sendable {
    case insert, update, delete
  }

  var sequence: Int64
  var table: Table
  var operation: Operation
  var key: String
  /// Who could see the row before it went away, which only a delete stores; for `locations`,
  /// `missions` and `mission_members` those whose access changed.
  var audience: [String]
  var at: WireTime
}

/// The table `changes`: what realtime reads in order after each commit.
enum ChangeLog {
  /// Entries older than this are of use to nobody: nothing is ever replayed to clients.
  static let retention = Duration.seconds(600)

  static func append(
    _ operation: Change.Operation, in table: Change.Table, key: String, audience: [String] = [],
    at time: WireTime, to database: Database
  ) throws {
    try database.execute(
      sql: "INSERT INTO changes (tbl, op, key, audience, at) VALUES (?, ?, ?, ?, ?)",
      arguments: [
        table.rawValue, operation.rawValue, key,
        audience.isEmpty ? nil : audience.joined(separator: " "), time.microseconds,
      ])
  }

  static func entries(
    after sequence: Int64, limit: Int, from database: Database
  ) throws -> [Change] {
    let rows = try Row.fetchAll(
      database,
      sql: "SELECT seq, tbl, op, key, audience, at FROM changes WHERE seq > ? ORDER BY seq LIMIT ?",
      arguments: [sequence, limit])
    return rows.compactMap { row in
      guard let table = Change.Table(rawValue: row[1]),
        let operation = Change.Operation(rawValue: row[2])
      else { return nil }
      let audience: String? = row[4]
      return Change(
        sequence: row[0], table: table, operation: operation, key: row[3],
        audience: audience?.split(separator: " ").map(String.init) ?? [],
        at: WireTime(microseconds: row[5]))
    }
  }

  static func lastSequence(from database: Database) throws -> Int64 {
    try Int64.fetchOne(
      database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'changes'") ?? 0
  }

  static func trim(before time: WireTime, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM changes WHERE at < ?", arguments: [time.microseconds])
  }
}
