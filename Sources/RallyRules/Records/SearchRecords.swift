import RallyStorage
import RallyWire

/// Searches people by name. The queries differ between engines.
enum SearchRecords {
  /// The maximum number of candidates whose username, and whose display name, begins with the text.
  static let beginnings = 200
  /// The maximum number of candidates that contain the text elsewhere.
  static let others = 300
  /// The maximum number of names with the same trigrams that are compared with the text: a million
  /// names may have the trigrams of `ivanovan` without containing it.
  static let lookedAt = 3000

  /// People whose username or folded display name contains the text; one of less than three letters
  /// has to stand at the beginning. The exact username comes first, then usernames and names that
  /// begin with it, then by name. Without the reader and people who block the reader.
  ///
  /// - Parameter terms: The maximum number of trigrams.
  static func people(
    matching: (name: String, username: String), terms: Int, reader: String, slice: Slice,
    in database: Database
  ) throws -> [PersonRecord] {
    // These come first and fill most pages.
    let begun = try rows(
      matching: matching, containing: nil, reader: reader, slice: slice, in: database)
    if begun.count == slice.limit { return begun }
    let texts = [matching.name, matching.username]
    let containing: Containing?
    switch database.engine {
    case .sqlite:
      containing = LetterIndex.query(texts, limit: terms).map {
        Containing(sql: containingOnSQLite, arguments: ["letters": $0])
      }
    case .postgres:
      containing =
        texts.contains(where: LetterIndex.canFind)
        ? Containing(
          sql: containingOnPostgres,
          arguments: [
            "username_part": part(matching.username), "name_part": part(matching.name),
          ]) : nil
    }
    guard let containing else { return begun }
    return try rows(
      matching: matching, containing: containing, reader: reader, slice: slice, in: database)
  }

  /// The subquery for names that contain the text.
  private struct Containing {
    var sql: String
    var arguments: StatementArguments
  }

  private static func rows(
    matching: (name: String, username: String), containing: Containing?, reader: String,
    slice: Slice, in database: Database
  ) throws -> [PersonRecord] {
    var arguments: StatementArguments = [
      "me": reader, "username": matching.username, "name": matching.name,
      // The largest code point, as upper bound of texts with this prefix.
      "username_end": matching.username + "\u{10FFFF}", "name_end": matching.name + "\u{10FFFF}",
      "limit": slice.limit, "offset": slice.offset,
    ]
    // On SQLite `rowid` saves a second lookup by id.
    let key = database.engine == .sqlite ? "rowid" : "id"
    var candidates = beginning(key)
    if let containing {
      candidates += " UNION \(containing.sql)"
      arguments += containing.arguments
    }
    // Candidates are sorted first; friendships are only joined for the page.
    let rows = try Row.fetchAll(
      database,
      sql: """
        WITH found (key) AS (\(candidates)),
        page AS MATERIALIZED (
          SELECT p.\(key) AS key, \(place) AS place
          FROM found JOIN profiles p ON p.\(key) = found.key
          WHERE p.id <> :me
            AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.blocker = p.id AND b.blocked = :me)
          ORDER BY place, p.display_key, p.id
          LIMIT :limit OFFSET :offset)
        SELECT \(ProfileRecords.columns), f.status, f.requester, mine.blocked
        FROM page JOIN profiles p ON p.\(key) = page.key
        LEFT JOIN friendships f
          ON f.smaller = CASE WHEN p.id < :me THEN p.id ELSE :me END
          AND f.larger = CASE WHEN p.id < :me THEN :me ELSE p.id END
        LEFT JOIN blocks mine ON mine.blocker = :me AND mine.blocked = p.id
        ORDER BY page.place, p.display_key, p.id
        """,
      arguments: arguments)
    return try rows.map { row in
      let requester: String? = try row["requester"]
      let blocked: String? = try row["blocked"]
      return PersonRecord(
        profile: try ProfileRecords.profile(row),
        friendshipStatus: Visibility.status(
          isBlocked: blocked != nil,
          friendship: try row["status"],
          isMine: requester == reader))
    }
  }

  /// The LIKE pattern of texts that contain this one.
  private static func part(_ text: String) -> String {
    "%" + text.map { "%_\\".contains($0) ? "\\\($0)" : String($0) }.joined() + "%"
  }

  /// The rank before sorting by name.
  private static let place = """
    CASE WHEN p.username = :username THEN 0
      WHEN instr(p.username, :username) = 1 THEN 1
      WHEN instr(p.display_key, :name) = 1 THEN 2
      ELSE 3 END
    """

  private static func beginning(_ key: String) -> String {
    """
    SELECT * FROM (
      SELECT \(key) FROM profiles WHERE username >= :username AND username < :username_end
      ORDER BY username LIMIT \(beginnings)) AS by_username
    UNION SELECT * FROM (
      SELECT \(key) FROM profiles WHERE display_key >= :name AND display_key < :name_end
      ORDER BY display_key, id LIMIT \(beginnings)) AS by_name
    """
  }

  /// Excludes names that begin with the text, which `beginning` finds.
  private static let begunOtherwise =
    "instr(r.username, :username) <> 1 AND instr(r.display_key, :name) <> 1"

  /// CROSS JOIN makes SQLite start with the index and stop at the limit.
  private static let containingOnSQLite = """
    SELECT * FROM (
      SELECT q.rowid FROM (
        SELECT rowid AS row FROM people_letters WHERE people_letters MATCH :letters
        LIMIT \(lookedAt)) AS l
      CROSS JOIN people_rows r ON r.row = l.row
      CROSS JOIN profiles q ON q.id = r.id
      WHERE (instr(r.username, :username) > 0 OR instr(r.display_key, :name) > 0)
        AND \(begunOtherwise)
      LIMIT \(others)) AS by_letters
    """

  private static let containingOnPostgres = """
    SELECT * FROM (
      SELECT r.id FROM profiles r
      WHERE (r.username LIKE :username_part OR r.display_key LIKE :name_part)
        AND \(begunOtherwise)
      LIMIT \(others)) AS by_letters
    """
}
