import RallyWire

/// Finding people by name: the one part of storage that differs between engines.
enum SearchRecords {
  /// Names that begin with the text are looked at up to this number, usernames and display names
  /// each; whoever has more of them has to type more.
  static let beginnings = 200
  /// So many that have it elsewhere.
  static let others = 300
  /// Of so many whose names have the same letters, three by three, it is seen whether they have the
  /// text: all of a million may have those of `ivanovan`, and nobody that.
  static let lookedAt = 3000

  /// People whose username or folded display name contains the text, or, when it is shorter than
  /// three letters, begins with it: the exact username first, then usernames and names that begin
  /// with it, then by name. Never the reader, and never somebody who blocked the reader.
  ///
  /// - Parameter terms: How many groups of three letters are looked up.
  static func people(
    matching: (name: String, username: String), terms: Int, reader: String, slice: Slice,
    in database: Database
  ) throws -> [PersonRecord] {
    // Most pages are full of those, and what only contains the text comes behind them.
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

  /// Finds names that have the text further on.
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
      // The last character there is: no text that begins with the wanted one sorts behind it.
      "username_end": matching.username + "\u{10FFFF}", "name_end": matching.name + "\u{10FFFF}",
      "limit": slice.limit, "offset": slice.offset,
    ]
    // SQLite knows where a row stands; by its id it would have to be looked for twice.
    let key = database.engine == .sqlite ? "rowid" : "id"
    var candidates = beginning(key)
    if let containing {
      candidates += " UNION \(containing.sql)"
      arguments += containing.arguments
    }
    // Several hundred are put in order; who of them is a friend is only asked of the page.
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
      let status: String? = row[6]
      let requester: String? = row[7]
      let blocked: String? = row[8]
      return PersonRecord(
        profile: try ProfileRecords.profile(row),
        friendshipStatus: Visibility.status(
          isBlocked: blocked != nil,
          friendship: status.flatMap(FriendshipRecord.Status.init(rawValue:)),
          isMine: requester == reader))
    }
  }

  /// What text that contains this one is like.
  private static func part(_ text: String) -> String {
    "%" + text.map { "%_\\".contains($0) ? "\\\($0)" : String($0) }.joined() + "%"
  }

  /// Where somebody stands in the list, before the name decides.
  private static let place = """
    CASE WHEN p.username = :username THEN 0
      WHEN instr(p.username, :username) = 1 THEN 1
      WHEN instr(p.display_key, :name) = 1 THEN 2
      ELSE 3 END
    """

  /// Read off the ends of two indexes, which have the key.
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

  /// Those that begin with the text are found by the other way, so that pages follow each other.
  private static let begunOtherwise =
    "instr(q.username, :username) <> 1 AND instr(q.display_key, :name) <> 1"

  /// The index comes first, whatever the planner thinks: it stops when there are enough.
  private static let containingOnSQLite = """
    SELECT * FROM (
      SELECT q.rowid FROM (
        SELECT rowid AS row FROM people_letters WHERE people_letters MATCH :letters
        LIMIT \(lookedAt)) AS l
      CROSS JOIN people_rows r ON r.row = l.row
      CROSS JOIN profiles q ON q.id = r.id
      WHERE (instr(q.username, :username) > 0 OR instr(q.display_key, :name) > 0)
        AND \(begunOtherwise)
      LIMIT \(others)) AS by_letters
    """

  private static let containingOnPostgres = """
    SELECT * FROM (
      SELECT q.id FROM profiles q
      WHERE (q.username LIKE :username_part OR q.display_key LIKE :name_part)
        AND \(begunOtherwise)
      LIMIT \(others)) AS by_letters
    """
}
