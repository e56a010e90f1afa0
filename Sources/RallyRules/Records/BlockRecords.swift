import RallyStorage

/// Users hidden from each other, whichever of the two blocks the other.
package enum BlockRecords {
  /// A subquery of the users who block `:me` or are blocked by them.
  static let hidden = """
    SELECT blocked FROM blocks WHERE blocker = :me UNION SELECT blocker FROM blocks WHERE blocked = :me
    """

  /// The users who block a user or are blocked by them.
  package static func hidden(from person: String, in database: Database) throws -> Set<String> {
    try String.fetchSet(database, sql: hidden, arguments: ["me": person])
  }
}
