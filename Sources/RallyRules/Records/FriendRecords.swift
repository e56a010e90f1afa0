import Foundation
import RallyStorage
import RallyWire

/// The tables `friendships` (one row per pair, smaller id first) and `blocks`.
package enum FriendRecords {
  // MARK: - Friendships

  private enum Column: Int, TableColumn {
    case id, smaller, larger, requester, status, createdAt, acceptedAt, version
  }

  private static let table = StoredTable<Column>("friendships", as: "f", key: [.id])

  private static func friendship(_ row: Row) throws -> FriendshipRecord {
    let smaller: UUID = try row[Column.smaller]
    let larger: UUID = try row[Column.larger]
    let requester: UUID = try row[Column.requester]
    return FriendshipRecord(
      id: try row[Column.id], requesterID: requester,
      addresseeID: requester == smaller ? larger : smaller, status: try row[Column.status],
      createdAt: try row[Column.createdAt], acceptedAt: try row[Column.acceptedAt],
      version: try row[Column.version])
  }

  package static func friendship(
    between a: String, and b: String, in database: Database
  ) throws -> FriendshipRecord? {
    try table.row(where: "smaller = ? AND larger = ?", [min(a, b), max(a, b)], in: database)
      .map(friendship)
  }

  package static func friendship(id: String, in database: Database) throws -> FriendshipRecord? {
    try table.row(where: "id = ?", [id], in: database).map(friendship)
  }

  /// A user's friendships and requests, oldest first.
  package static func friendships(
    of person: String, limit: Int, in database: Database
  ) throws -> [FriendshipRecord] {
    try table.rows(
      where: "smaller = :me OR larger = :me ORDER BY f.created_at, f.id LIMIT :limit",
      ["me": person, "limit": limit], in: database
    ).map(friendship)
  }

  static func areFriends(_ a: String, _ b: String, in database: Database) throws -> Bool {
    try Int.fetchOne(
      database,
      sql: "SELECT 1 FROM friendships WHERE smaller = ? AND larger = ? AND status = 'accepted'",
      arguments: [min(a, b), max(a, b)]) != nil
  }

  package static func insert(_ row: FriendshipRecord, in database: Database) throws {
    let (requester, addressee) = (row.requesterID.wireText, row.addresseeID.wireText)
    try table.insert(into: database) { column in
      switch column {
      case .id: row.id
      case .smaller: min(requester, addressee)
      case .larger: max(requester, addressee)
      case .requester: requester
      case .status: row.status
      case .createdAt: row.createdAt
      case .acceptedAt: row.acceptedAt
      case .version: row.version
      }
    }
    if row.status == .accepted { try FriendNames.add(row, in: database) }
    try ChangeLog.append(
      .insert, in: .friendships, key: row.id.wireText, at: row.createdAt, to: database)
  }

  static func accept(_ row: FriendshipRecord, at time: WireTime, in database: Database) throws {
    try database.execute(
      sql: """
        UPDATE friendships SET status = ?, accepted_at = ?, version = version + 1 WHERE id = ?
        """,
      arguments: [
        FriendshipRecord.Status.accepted.rawValue, time.microseconds, row.id.wireText,
      ])
    try FriendNames.add(row, in: database)
    try ChangeLog.append(.update, in: .friendships, key: row.id.wireText, at: time, to: database)
  }

  /// Deletes the row, and announces it to both users.
  package static func delete(_ row: FriendshipRecord, at time: WireTime, in database: Database)
    throws
  {
    try database.execute(sql: "DELETE FROM friendships WHERE id = ?", arguments: [row.id.wireText])
    try FriendNames.remove(row, in: database)
    try ChangeLog.append(
      .delete, in: .friendships, key: row.id.wireText,
      audience: [row.requesterID.wireText, row.addresseeID.wireText], at: time, to: database)
  }

  static func outgoingCount(of id: String, in database: Database) throws -> Int {
    try Int.fetchOne(
      database,
      sql: """
        SELECT count(*) FROM friendships
        WHERE (smaller = :me OR larger = :me) AND requester = :me AND status = 'pending'
        """, arguments: ["me": id]) ?? 0
  }

  package static func friendCount(of id: String, in database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT count(*) FROM friend_names WHERE owner = ?", arguments: [id]) ?? 0
  }

  static func blockCount(of id: String, in database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT count(*) FROM blocks WHERE blocker = ?", arguments: [id]) ?? 0
  }

  /// A subquery of the ids of the friends of `:me`.
  package static let friendIDs = """
    SELECT larger FROM friendships WHERE smaller = :me AND status = 'accepted'
    UNION ALL SELECT smaller FROM friendships WHERE larger = :me AND status = 'accepted'
    """

  /// The ids of a person's friends.
  package static func friendIDs(of id: String, in database: Database) throws -> [String] {
    try String.fetchAll(database, sql: friendIDs, arguments: ["me": id])
  }

  package struct Friend: Sendable {
    package var profile: ProfileRecord
    var since: WireTime
    var lastSeen: WireTime?
  }

  /// Friends by name; `matching` is part of the folded display name or of the username.
  package static func friends(
    of id: String, matching: (name: String, username: String)?, slice: Slice,
    in database: Database
  ) throws -> [Friend] {
    var arguments: StatementArguments = ["me": id, "limit": slice.limit, "offset": slice.offset]
    if let matching { arguments += ["name": matching.name, "username": matching.username] }
    return try Row.fetchAll(
      database,
      sql: """
        SELECT \(ProfileRecords.columns), f.accepted_at, p.last_seen
        FROM (\(FriendNames.page(isFiltered: matching != nil))) n
        JOIN profiles p ON p.id = n.friend
        JOIN friendships f
          ON f.smaller = CASE WHEN n.friend < :me THEN n.friend ELSE :me END
          AND f.larger = CASE WHEN n.friend < :me THEN :me ELSE n.friend END
        ORDER BY n.name, n.friend
        """, arguments: arguments
    ).map { row in
      Friend(
        profile: try ProfileRecords.profile(row), since: try row["accepted_at"],
        lastSeen: try row["last_seen"])
    }
  }

  /// What the other one of a friendship is to one of the two; nil for a row of a deleted account.
  package static func relation(
    _ row: FriendshipRecord, to reader: String, in database: Database
  ) throws -> EmbeddedRelation? {
    let isMine = row.requesterID.wireText == reader
    let other = isMine ? row.addresseeID : row.requesterID
    let found = try Row.fetchOne(
      database, sql: "SELECT \(ProfileRecords.columns), p.last_seen FROM profiles p WHERE p.id = ?",
      arguments: [other.wireText])
    return try found.map { found in
      EmbeddedRelation(
        userID: other,
        status: Visibility.status(isBlocked: false, friendship: row.status, isMine: isMine),
        profile: try ProfileRecords.profile(found),
        lastSeen: row.status == .accepted ? try found["last_seen"] : nil)
    }
  }

  /// Pending requests, newest first.
  static func requests(
    of id: String, direction: RequestDirection, slice: Slice, in database: Database
  ) throws -> [DatedProfileRecord] {
    let side = direction == .outgoing ? "f.requester = :me" : "f.requester <> :me"
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT \(ProfileRecords.columns), f.created_at AS since
        FROM friendships f
        JOIN profiles p ON p.id = CASE WHEN f.smaller = :me THEN f.larger ELSE f.smaller END
        WHERE (f.smaller = :me OR f.larger = :me) AND f.status = 'pending' AND \(side)
        ORDER BY f.created_at DESC, p.id LIMIT :limit OFFSET :offset
        """, arguments: ["me": id, "limit": slice.limit, "offset": slice.offset])
    return try rows.map(dated)
  }

  private static func dated(_ row: Row) throws -> DatedProfileRecord {
    DatedProfileRecord(profile: try ProfileRecords.profile(row), createdAt: try row["since"])
  }

  // MARK: - Blocks

  static func isBlocked(_ id: String, by blocker: String, in database: Database) throws -> Bool {
    try Int.fetchOne(
      database, sql: "SELECT 1 FROM blocks WHERE blocker = ? AND blocked = ?",
      arguments: [blocker, id]) != nil
  }

  static func block(
    _ id: String, by blocker: String, at time: WireTime, in database: Database
  ) throws {
    try database.execute(
      sql: "INSERT INTO blocks (blocker, blocked, created_at) VALUES (?, ?, ?)",
      arguments: [blocker, id, time.microseconds])
  }

  static func unblock(_ id: String, by blocker: String, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM blocks WHERE blocker = ? AND blocked = ?", arguments: [blocker, id])
  }

  /// People whom `id` blocked, newest first.
  static func blocked(
    by id: String, slice: Slice, in database: Database
  ) throws -> [DatedProfileRecord] {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT \(ProfileRecords.columns), b.created_at AS since
        FROM blocks b JOIN profiles p ON p.id = b.blocked WHERE b.blocker = ?
        ORDER BY b.created_at DESC, p.id LIMIT ? OFFSET ?
        """, arguments: [id, slice.limit, slice.offset])
    return try rows.map(dated)
  }
}

/// A page of a list.
package struct Slice: Hashable, Sendable {
  package var limit: Int
  var offset: Int
}

/// The table `friend_names`: friends of each user sorted by name, so that a page is read from the
/// index.
enum FriendNames {
  /// Adds both sides of a new friendship.
  static func add(_ row: FriendshipRecord, in database: Database) throws {
    for (owner, friend) in sides(of: row) {
      try database.execute(
        sql: """
          INSERT INTO friend_names (owner, name, friend)
          SELECT ?, display_key, id FROM profiles WHERE id = ?
          """, arguments: [owner, friend])
    }
  }

  /// Removes both sides of a friendship; no effect for a request.
  static func remove(_ row: FriendshipRecord, in database: Database) throws {
    for (owner, friend) in sides(of: row) {
      try database.execute(
        sql: "DELETE FROM friend_names WHERE friend = ? AND owner = ?",
        arguments: [friend, owner])
    }
  }

  private static func sides(of row: FriendshipRecord) -> [(owner: String, friend: String)] {
    let (a, b) = (row.requesterID.wireText, row.addresseeID.wireText)
    return [(a, b), (b, a)]
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
