import RallyWire

/// Finding people by name: the one part of storage that differs between engines.
enum SearchRecords {
  /// People whose username or folded display name contains the text: the exact username first,
  /// then usernames and names that begin with it, then by name. Never the reader, and never
  /// somebody who blocked the reader.
  static func people(
    matching: (name: String, username: String), reader: String, slice: Slice,
    in database: Database
  ) throws -> [PersonRecord] {
    var arguments: StatementArguments = [
      "me": reader, "username": matching.username, "name": matching.name,
      "limit": slice.limit, "offset": slice.offset,
    ]
    let isFound: String
    switch database.engine {
    case .sqlite:
      isFound = "(instr(p.username, :username) > 0 OR instr(p.display_key, :name) > 0)"
    case .postgres:
      isFound = "(p.username LIKE :username_part OR p.display_key LIKE :name_part)"
      arguments += [
        "username_part": part(matching.username), "name_part": part(matching.name),
      ]
    }
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT \(ProfileRecords.columns), f.status, f.requester, mine.blocked
        FROM profiles p
        LEFT JOIN friendships f
          ON f.smaller = CASE WHEN p.id < :me THEN p.id ELSE :me END
          AND f.larger = CASE WHEN p.id < :me THEN :me ELSE p.id END
        LEFT JOIN blocks mine ON mine.blocker = :me AND mine.blocked = p.id
        WHERE \(isFound)
          AND p.id <> :me
          AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.blocker = p.id AND b.blocked = :me)
        ORDER BY
          CASE WHEN p.username = :username THEN 0
            WHEN instr(p.username, :username) = 1 THEN 1
            WHEN instr(p.display_key, :name) = 1 THEN 2
            ELSE 3 END,
          p.display_key, p.id
        LIMIT :limit OFFSET :offset
        """, arguments: arguments)
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
}
