import RallyWire

/// A position in the change feed, after an entry.
package struct ChangePosition: Hashable, Comparable, Sendable {
  /// PostgreSQL's transaction id; 0 on SQLite.
  package var transaction: Int64
  package var sequence: Int64

  package init(transaction: Int64, sequence: Int64) {
    self.transaction = transaction
    self.sequence = sequence
  }

  package static let beginning = ChangePosition(transaction: 0, sequence: 0)

  package static func < (a: ChangePosition, b: ChangePosition) -> Bool {
    (a.transaction, a.sequence) < (b.transaction, b.sequence)
  }
}

/// An entry of the change feed, written in the transaction of the change.
package struct Change: Hashable, Sendable {
  package enum Table: String, Sendable {
    case friendships, locations, missions, profiles, sessions
    case missionMembers = "mission_members"
    case missionActivity = "mission_activity"
    case locationSharing = "location_sharing"
    case locationAsks = "location_asks"
    case watchLinks = "watch_links"
  }

  package enum Operation: String, Sendable {
    case insert, update, delete
  }

  package var position: ChangePosition
  package var table: Table
  package var operation: Operation
  package var key: String
  /// For a delete, who could see the row; for `locations`, `missions` and `mission_members`, whose
  /// access changed.
  package var audience: [String]
  package var at: WireTime
}

/// The table `changes`: the feed that realtime reads after each commit.
///
/// SQLite commits in the order of `seq`. On PostgreSQL transactions overlap, and an entry may be
/// committed after one with a larger `seq` was read. There the feed is ordered by transaction, and
/// read up to the first one that is still running. Writes are serializable, so changes of the same
/// row keep their order.
package enum ChangeLog {
  /// Older entries are deleted: nothing is replayed to clients.
  package static let retention = Duration.seconds(600)

  /// The oldest transaction that may still be running; PostgreSQL only.
  package static let horizon =
    "CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint)"

  package static func append(
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

  package static func entries(
    after position: ChangePosition, limit: Int, from database: Database
  ) throws -> [Change] {
    let isReleased = database.engine == .postgres ? "tx < \(horizon)" : "TRUE"
    return try fetch(where: isReleased, after: position, limit: limit, from: database)
  }

  /// The entries after a position by which people gain access to positions and missions. They
  /// include those that are committed but not to be read yet: what they say holds in this
  /// transaction already.
  package static func arrivals(after position: ChangePosition, from database: Database) throws
    -> [Change]
  {
    try fetch(
      where: "op = 'insert' AND tbl IN ('locations', 'missions')", after: position, limit: .max,
      from: database)
  }

  private static func fetch(
    where condition: String, after position: ChangePosition, limit: Int, from database: Database
  ) throws -> [Change] {
    let (transaction, isLater, order) =
      switch database.engine {
      case .sqlite: ("0 AS tx", "seq > :sequence", "seq")
      case .postgres: ("tx", "(tx, seq) > (:transaction, :sequence)", "tx, seq")
      }
    let sql = """
      SELECT \(transaction), seq, tbl, op, key, audience, at FROM changes
      WHERE \(isLater) AND \(condition) ORDER BY \(order) LIMIT :limit
      """
    var arguments: StatementArguments = ["sequence": position.sequence, "limit": limit]
    if database.engine == .postgres { arguments += ["transaction": position.transaction] }
    return try Row.fetchAll(database, sql: sql, arguments: arguments).compactMap { row in
      guard let table = Change.Table(rawValue: try row["tbl"]),
        let operation = Change.Operation(rawValue: try row["op"])
      else { return nil }
      let audience: String? = try row["audience"]
      return Change(
        position: ChangePosition(transaction: try row["tx"], sequence: try row["seq"]),
        table: table, operation: operation, key: try row["key"],
        audience: audience?.split(separator: " ").map(String.init) ?? [], at: try row["at"])
    }
  }

  /// The current end of the feed.
  package static func lastPosition(from database: Database) throws -> ChangePosition {
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

  /// Whether entries wait for older transactions to end.
  package static func isHeldUp(in database: Database) throws -> Bool {
    guard database.engine == .postgres else { return false }
    return try Int.fetchOne(
      database, sql: "SELECT 1 FROM changes WHERE tx >= \(horizon) LIMIT 1") != nil
  }

  /// Deletes the oldest entries of `changes`, or of a table that is made alike.
  ///
  /// - Parameter limit: At most so many, since writers on SQLite and the feed on PostgreSQL wait
  ///   for the transaction.
  /// - Returns: Whether there may be more.
  package static func trim(
    _ table: String = "changes", before time: WireTime, limit: Int, in database: Database
  ) throws -> Bool {
    // Another server may be at the same ones.
    let locking = database.engine == .postgres ? "FOR UPDATE SKIP LOCKED" : ""
    let deleted = try Int64.fetchAll(
      database,
      sql: """
        WITH old AS MATERIALIZED (
          SELECT seq FROM \(table) WHERE at < ? ORDER BY at LIMIT ? \(locking))
        DELETE FROM \(table) WHERE seq IN (SELECT seq FROM old) RETURNING seq
        """, arguments: [time.microseconds, limit])
    return deleted.count == limit
  }
}

/// The kinds of entries in `relays`, by which servers on one database send each other what the
/// change feed does not.
package enum RelayKind: String, Sendable {
  /// A channel's presence changed; the row in `presence` says what it is.
  case presence
  case broadcast
  /// The keys in the database are others.
  case keys

  /// Appends an entry that has nothing beside its kind.
  func append(of node: String, at time: WireTime, to database: Database) throws {
    try database.execute(
      sql: "INSERT INTO relays (node, kind, at) VALUES (?, ?, ?)",
      arguments: [node, rawValue, time])
  }
}
