import RallyStorage
import RallyWire

/// The table `friend_names`: friends of each user sorted by name, so that a page is read from the
/// index.
enum FriendNames {
  /// Adds both sides of a new friendship.
  static func add(_ row: FriendshipRecord, in database: Database) throws {
    let (a, b) = (row.requesterID.wireText, row.addresseeID.wireText)
    for (owner, friend) in [(a, b), (b, a)] {
      try database.execute(
        sql: """
          INSERT INTO friend_names (owner, name, friend)
          SELECT ?, display_key, id FROM profiles WHERE id = ?
          """, arguments: [owner, friend])
    }
  }

  /// Removes both sides of a friendship; no effect for a request.
  static func remove(_ row: FriendshipRecord, in database: Database) throws {
    let (a, b) = (row.requesterID.wireText, row.addresseeID.wireText)
    for (owner, friend) in [(a, b), (b, a)] {
      try database.execute(
        sql: "DELETE FROM friend_names WHERE friend = ? AND owner = ?",
        arguments: [friend, owner])
    }
  }

  static func rename(_ friend: String, to name: String, in database: Database) throws {
    try database.execute(
      sql: "UPDATE friend_names SET name = ? WHERE friend = ? AND name <> ?",
      arguments: [name, friend, name])
  }

  /// The subquery of a page's names and ids, with the parameters `:me`, `:limit`, `:offset`, and,
  /// if filtered, `:name` and `:username`. Unfiltered it reads only the index.
  static func page(isFiltered: Bool) -> String {
    let wanted =
      isFiltered
      ? """
      JOIN profiles w ON w.id = o.friend
      WHERE o.owner = :me AND (instr(o.name, :name) > 0 OR instr(w.username, :username) > 0)
      """
      : "WHERE o.owner = :me"
    return """
      SELECT o.name, o.friend FROM friend_names o \(wanted)
      ORDER BY o.name, o.friend LIMIT :limit OFFSET :offset
      """
  }
}
