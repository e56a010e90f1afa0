/// Who does not exist for whom, whichever of the two blocked the other.
enum BlockRecords {
  /// A subquery of everybody who blocked the person `:me` or was blocked by them.
  static let hidden = """
    SELECT blocked FROM blocks WHERE blocker = :me UNION SELECT blocker FROM blocks WHERE blocked = :me
    """

  /// Everybody who blocked a person or was blocked by them.
  static func hidden(from person: String, in database: Database) throws -> Set<String> {
    try String.fetchSet(database, sql: hidden, arguments: ["me": person])
  }
}
