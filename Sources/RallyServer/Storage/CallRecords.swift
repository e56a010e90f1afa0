import RallyWire

/// The table `calls`: which mutation a `p_client_id` stood for, and what it answered.
enum CallRecords {
  /// A repeat is recognised for this long.
  static let retention = Duration.seconds(7 * 86_400)
  /// A repeat of a report of positions only for this long: they come every few seconds, and when
  /// somebody moved is nobody's business either.
  static let positionRetention = Duration.seconds(3600)

  struct Stored: Sendable {
    var function: String
    var argumentsHash: String
    var result: String?
  }

  /// Takes the id for this call; nil when it is new, otherwise the call that has it.
  static func claim(
    _ clientID: String, for userID: String, function: String, argumentsHash: String,
    at time: WireTime, in database: Database
  ) throws -> Stored? {
    let row = try Row.fetchOne(
      database,
      sql: "SELECT function, args_hash, result FROM calls WHERE user_id = ? AND client_id = ?",
      arguments: [userID, clientID])
    if let row { return Stored(function: row[0], argumentsHash: row[1], result: row[2]) }
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

  /// Forgets the calls that nobody repeats any more.
  static func trim(at time: WireTime, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM calls WHERE at < ? OR (at < ? AND function = ?)",
      arguments: [
        time.advanced(by: .zero - retention).microseconds,
        time.advanced(by: .zero - positionRetention).microseconds, PublishLocations.name,
      ])
  }
}
