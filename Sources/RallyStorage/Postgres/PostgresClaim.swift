import Foundation

/// Who uses a database: every connection of a server or a command holds an advisory lock of the
/// schema together with the others, and a move holds it alone.
///
/// PostgreSQL releases it with the connection, however that ends.
enum PostgresClaim {
  /// Milliseconds that a connection waits for the end of a move.
  private static let patience = 3000
  /// "RALY" as a number, and the schema.
  private static let key = "1380011097, hashtext(current_schema())"

  /// Takes it together with others, in a script.
  static let take = """
    SET lock_timeout = \(patience);
    SELECT pg_advisory_lock_shared(\(key));
    RESET lock_timeout
    """

  /// The failure if `take` waited in vain.
  static func failure(code: String?, address: PostgresAddress) -> StorageFailure? {
    guard code == "55P03" else { return nil }
    return StorageFailure(
      kind: .unreachable,
      message: "`rally serve move` works on the database \(address); wait until it is done.")
  }

  /// Takes it alone; false if others keep it. What just ended has some seconds to go.
  static func takeAlone(on connection: PostgresConnection) throws -> Bool {
    let database = Database(.postgres, on: connection)
    let deadline = ContinuousClock.now + .milliseconds(patience)
    repeat {
      if try Bool.fetchOne(database, sql: "SELECT pg_try_advisory_lock(\(key))") == true {
        return true
      }
      usleep(50_000)
    } while ContinuousClock.now < deadline
    return false
  }

  /// How many other connections hold it.
  static func others(on connection: PostgresConnection) throws -> Int {
    try Int.fetchOne(
      Database(.postgres, on: connection),
      sql: """
        SELECT count(*) FROM pg_locks
        WHERE locktype = 'advisory' AND classid = 1380011097 AND objsubid = 2
          AND objid = CAST(hashtext(current_schema()) & 4294967295 AS oid)
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND pid <> pg_backend_pid()
        """) ?? 0
  }
}

/// A pooler between a server and its database.
enum PostgresPooler {
  /// How often two transactions are compared; other clients of the pooler may come in between.
  private static let rounds = 5

  /// Refuses a pooler that gives each transaction another connection: Rally's notifications, prepared
  /// statements and the claim of the database belong to a session.
  ///
  /// - Throws: `StorageFailure`.
  static func requireSessions(
    on connection: PostgresConnection, _ address: PostgresAddress
  ) throws {
    // A pooler sends an id of its own at the beginning.
    guard try connection.servingPID() != connection.backendPID else { return }
    let other = PostgresConnection(address)
    defer { other.close() }
    try other.open()
    for _ in 0..<rounds {
      let before = try connection.servingPID()
      // The other one takes the connection that was given back last.
      let after = try other.transaction("BEGIN") { other in
        _ = try other.servingPID()
        return try connection.servingPID()
      }
      guard before == after else {
        throw StorageFailure(
          kind: .other,
          message: "The pooler at \(address) pools transactions, and Rally needs sessions:"
            + " set pool_mode = session there, or name PostgreSQL itself.")
      }
    }
  }
}
