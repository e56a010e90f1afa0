import RallyStorage
import RallyWire

/// The table `calls`: mutations by `p_client_id`, with their results, for idempotency.
package enum CallRecords {
  /// How long a repeat is recognized.
  package static let retention = Duration.seconds(7 * 86_400)
  /// The same for reports of positions, which come every few seconds and should leave no trace of
  /// when somebody moved.
  static let positionRetention = Duration.seconds(3600)

  struct Stored: Sendable {
    var function: String
    var argumentsHash: String
    var result: String?
  }

  /// Claims the id; nil if it is new, otherwise the call that has it.
  static func claim(
    _ clientID: String, for userID: String, function: String, argumentsHash: String,
    at time: WireTime, in database: Database
  ) throws -> Stored? {
    let row = try Row.fetchOne(
      database,
      sql: "SELECT function, args_hash, result FROM calls WHERE user_id = ? AND client_id = ?",
      arguments: [userID, clientID])
    if let row {
      return Stored(
        function: try row["function"], argumentsHash: try row["args_hash"],
        result: try row["result"])
    }
    try database.execute(
      sql: """
        INSERT INTO calls (user_id, client_id, function, args_hash, at) VALUES (?, ?, ?, ?, ?)
        """,
      arguments: [userID, clientID, function, argumentsHash, time.microseconds])
    return nil
  }

  static func store(
    result: String, of clientID: String, for userID: String, in database: Database
  ) throws {
    try database.execute(
      sql: "UPDATE calls SET result = ? WHERE user_id = ? AND client_id = ?",
      arguments: [result, userID, clientID])
  }

  /// Deletes expired calls.
  package static func trim(at time: WireTime, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM calls WHERE at < ? OR (at < ? AND function = ?)",
      arguments: [
        time.advanced(by: .zero - retention).microseconds,
        time.advanced(by: .zero - positionRetention).microseconds, PublishLocations.name,
      ])
  }
}
