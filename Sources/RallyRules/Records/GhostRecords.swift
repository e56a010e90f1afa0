import RallyStorage

/// The table `ghosts`: the people whom nobody sees, whatever they share. `SharingRecords` reads it with
/// what they decided, so that no gate can forget it.
enum GhostRecords {
  static func contains(_ person: String, in database: Database) throws -> Bool {
    try String.fetchOne(
      database, sql: "SELECT user_id FROM ghosts WHERE user_id = ?", arguments: [person]) != nil
  }

  package static func set(_ isGhost: Bool, _ person: String, in database: Database) throws {
    try database.execute(
      sql: isGhost
        ? "INSERT INTO ghosts (user_id) VALUES (?) ON CONFLICT (user_id) DO NOTHING"
        : "DELETE FROM ghosts WHERE user_id = ?",
      arguments: [person])
  }
}
