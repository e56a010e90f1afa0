import RallyRules
import RallyStorage
import RallyWire

/// The table `nodes`: the servers on this database, each as long as it renews its lease.
///
/// Leases are counted by the database's clock, which is the same for all of them. PostgreSQL only.
enum NodeRecords {
  static func register(
    _ id: String, for lease: Duration, in database: Database
  ) throws {
    try database.execute(
      sql: """
        INSERT INTO nodes (id, lease_until) VALUES (?, \(PostgresClock.now) + CAST(? AS BIGINT))
        ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until
        """, arguments: [id, Int64(lease / .microseconds(1))])
  }

  /// - Returns: False if the lease has ended and others swept this server.
  static func renew(_ id: String, for lease: Duration, in database: Database) throws -> Bool {
    try String.fetchOne(
      database,
      sql: """
        UPDATE nodes SET lease_until = \(PostgresClock.now) + CAST(? AS BIGINT) WHERE id = ? RETURNING id
        """, arguments: [Int64(lease / .microseconds(1)), id]) != nil
  }

  /// Whether a server beside this one holds a lease.
  static func hasOthers(than id: String, in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM nodes WHERE id <> ?)", arguments: [id]) ?? false
  }

  /// No lease is longer; one that ends later was taken before the database's clock was put back.
  private static let longestLease = Duration.seconds(60)

  /// The servers whose lease has ended.
  static func ended(in database: Database) throws -> [String] {
    try String.fetchAll(
      database,
      sql: """
        SELECT id FROM nodes
        WHERE lease_until < \(PostgresClock.now) OR lease_until > \(PostgresClock.now) + CAST(? AS BIGINT)
        """, arguments: [Int64(longestLease / .microseconds(1))])
  }

  /// Removes a server with everybody who is there through it.
  ///
  /// - Returns: The people who are nowhere else online.
  static func remove(
    _ id: String, at time: WireTime, in database: Database
  ) throws -> Set<String> {
    try RelayLog.appendPresence(of: id, at: time, to: database)
    let people = try PresenceRecords.deleteAll(of: id, in: database)
    try database.execute(sql: "DELETE FROM nodes WHERE id = ?", arguments: [id])
    return people
  }
}
