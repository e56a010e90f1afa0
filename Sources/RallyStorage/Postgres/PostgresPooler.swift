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
    // A pooler tells an id of its own at the beginning.
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
