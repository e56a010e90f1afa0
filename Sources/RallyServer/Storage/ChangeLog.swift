import RallyWire

/// A place in the change feed, behind an entry.
struct ChangePosition: Hashable, Comparable, Sendable {
  /// PostgreSQL's number of the transaction; SQLite has one writer at a time, and needs none.
  var transaction: Int64
  var sequence: Int64

  static let beginning = ChangePosition(transaction: 0, sequence: 0)

  static func < (a: ChangePosition, b: ChangePosition) -> Bool {
    (a.transaction, a.sequence) < (b.transaction, b.sequence)
  }
}

/// One entry of the change feed, written in the transaction that made the change.
struct Change: Hashable, Sendable {
  enum Table: String, Sendable {
    case friendships, locations, missions, sessions
    case missionMembers = "mission_members"
    case missionActivity = "mission_activity"
    case locationSharing = "location_sharing"
  }

  enum Operation: String, Sendable {
    case insert, update, delete
  }

  var position: ChangePosition
  var table: Table
  var operation: Operation
  var key: String
  /// Who could see the row before it went away, which only a delete stores; for `locations`,
  /// `missions` and `mission_members` those whose access changed.
  var audience: [String]
  var at: WireTime
}

/// The table `changes`: what realtime reads in order after each commit.
///
/// SQLite commits in the order of `seq`. On PostgreSQL transactions overlap, and an entry may be
/// committed after one with a larger number was read: there the feed goes by transaction, up to
/// the first one that is still running. Whoever changes a row that another transaction changed
/// began after that one's end, so that changes of one row come in their order.
enum ChangeLog {
  /// Entries older than this are of use to nobody: nothing is ever replayed to clients.
  static let retention = Duration.seconds(600)

  /// The first transaction that is not known to have ended.
  private static let horizon =
    "CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint)"

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
    after position: ChangePosition, limit: Int, from database: Database
  ) throws -> [Change] {
    let sql =
      switch database.engine {
      case .sqlite:
        """
        SELECT 0, seq, tbl, op, key, audience, at FROM changes WHERE seq > :sequence
        ORDER BY seq LIMIT :limit
        """
      case .postgres:
        """
        SELECT tx, seq, tbl, op, key, audience, at FROM changes
        WHERE (tx, seq) > (:transaction, :sequence) AND tx < \(horizon)
        ORDER BY tx, seq LIMIT :limit
        """
      }
    var arguments: StatementArguments = ["sequence": position.sequence, "limit": limit]
    if database.engine == .postgres { arguments += ["transaction": position.transaction] }
    return try Row.fetchAll(database, sql: sql, arguments: arguments).compactMap { row in
      guard let table = Change.Table(rawValue: row[2]),
        let operation = Change.Operation(rawValue: row[3])
      else { return nil }
      let audience: String? = row[5]
      return Change(
        position: ChangePosition(transaction: row[0], sequence: row[1]), table: table,
        operation: operation, key: row[4],
        audience: audience?.split(separator: " ").map(String.init) ?? [],
        at: WireTime(microseconds: row[6]))
    }
  }

  /// Behind everything that was committed before everything else.
  static func lastPosition(from database: Database) throws -> ChangePosition {
    switch database.engine {
    case .sqlite:
      let last = try Int64.fetchOne(
        database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'changes'")
      return ChangePosition(transaction: 0, sequence: last ?? 0)
    case .postgres:
      let first = try Int64.fetchOne(database, sql: "SELECT \(horizon)")
      return ChangePosition(transaction: (first ?? 1) - 1, sequence: .max)
    }
  }

  /// Whether there are entries that cannot be read yet, since older transactions are running.
  static func isHeldUp(in database: Database) throws -> Bool {
    guard database.engine == .postgres else { return false }
    return try Int.fetchOne(
      database, sql: "SELECT 1 FROM changes WHERE tx >= \(horizon) LIMIT 1") != nil
  }

  static func trim(before time: WireTime, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM changes WHERE at < ?", arguments: [time.microseconds])
  }
}
