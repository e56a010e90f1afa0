import Foundation
import RallyWire

/// The tables `friendships` (one row per pair, smaller id first) and `blocks`.
enum FriendRecords {
  // MARK: - Friendships

  private static let columns =
    "f.id, f.smaller, f.larger, f.requester, f.status, f.created_at, f.accepted_at, f.version"

  private static func friendship(_ row: Row) throws -> FriendshipRecord {
    let smaller: String = row[1]
    let larger: String = row[2]
    let requester: String = row[3]
    guard let id = UUID(uuidString: row[0]), let requesterID = UUID(uuidString: requester),
      let addresseeID = UUID(uuidString: requester == smaller ? larger : smaller),
      let status = FriendshipRecord.Status(rawValue: row[4])
    else { throw StorageFailure.damaged("not a friendship") }
    let acceptedAt: Int64? = row[6]
    return FriendshipRecord(
      id: id, requesterID: requesterID, addresseeID: addresseeID, status: status,
      createdAt: WireTime(microseconds: row[5]),
      acceptedAt: acceptedAt.map(WireTime.init(microseconds:)), version: row[7])
  }

  static func friendship(
    between a: String, and b: String, in database: Database
  ) throws -> FriendshipRecord? {
    try Row.fetchOne(
      database, sql: "SELECT \(columns) FROM friendships f WHERE smaller = ? AND larger = ?",
      arguments: [min(a, b), max(a, b)]
    ).map(friendship)
  }

  static func friendship(id: String, in database: Database) throws -> FriendshipRecord? {
    try Row.fetchOne(
      database, sql: "SELECT \(columns) FROM friendships f WHERE id = ?", arguments: [id]
    ).map(friendship)
  }

  /// Everything between a person and others, accepted or not, the oldest first.
  static func friendships(
    of person: String, limit: Int, in database: Database
  ) throws -> [FriendshipRecord] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT \(columns) FROM friendships f WHERE smaller = :me OR larger = :me
        ORDER BY f.created_at, f.id LIMIT :limit
        """, arguments: ["me": person, "limit": limit]
    ).map(friendship)
  }

  static func areFriends(_ a: String, _ b: String, in database: Database) throws -> Bool {
    try Int.fetchOne(
      database,
      sql: "SELECT 1 FROM friendships WHERE smaller = ? AND larger = ? AND status = 'accepted'",
      arguments: [min(a, b), max(a, b)]) != nil
  }

  static func insert(_ row: FriendshipRecord, in database: Database) throws {
    let (requester, addressee) = (row.requesterID.wireText, row.addresseeID.wireText)
    try database.execute(
      sql: """
        INSERT INTO friendships
          (id, smaller, larger, requester, status, created_at, accepted_at, version)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        row.id.wireText, min(requester, addressee), max(requester, addressee), requester,
        row.status.rawValue, row.createdAt.microseconds, row.acceptedAt?.microseconds, row.version,
      ])
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

  /// Removes the row; both people are told, since both could see it.
  static func delete(_ row: FriendshipRecord, at time: WireTime, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM friendships WHERE id = ?", arguments: [row.id.wireText])
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

  static func friendCount(of id: String, in database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT count(*) FROM friend_names WHERE owner = ?", arguments: [id]) ?? 0
  }

  static func blockCount(of id: String, in database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT count(*) FROM blocks WHERE blocker = ?", arguments: [id]) ?? 0
  }

  /// The ids of a person's friends.
  static func friendIDs(of id: String, in database: Database) throws -> [String] {
    try String.fetchAll(
      database,
      sql: """
        SELECT CASE WHEN smaller = :me THEN larger ELSE smaller END FROM friendships
        WHERE (smaller = :me OR larger = :me) AND status = 'accepted'
        """, arguments: ["me": id])
  }

  struct Friend: Sendable {
    var profile: ProfileRecord
    var since: WireTime
    var lastSeen: WireTime?
  }

  /// Friends by name; `matching` is part of the folded display name or of the username.
  static func friends(
    of id: String, matching: (name: String, username: String)?, slice: Slice,
    in database: Database
  ) throws -> [Friend] {
    var arguments: StatementArguments = ["me": id, "limit": slice.limit, "offset": slice.offset]
    if let matching { arguments += ["name": matching.name, "username": matching.username] }
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT \(ProfileRecords.columns), f.accepted_at, p.last_seen
        FROM (\(FriendNames.page(isFiltered: matching != nil))) n
        JOIN profiles p ON p.id = n.friend
        JOIN friendships f
          ON f.smaller = CASE WHEN n.friend < :me THEN n.friend ELSE :me END
          AND f.larger = CASE WHEN n.friend < :me THEN :me ELSE n.friend END
        ORDER BY n.name, n.friend
        """, arguments: arguments)
    return try rows.map { row in
      let lastSeen: Int64? = row[7]
      return Friend(
        profile: try ProfileRecords.profile(row), since: WireTime(microseconds: row[6]),
        lastSeen: lastSeen.map(WireTime.init(microseconds:)))
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
        SELECT \(ProfileRecords.columns), f.created_at
        FROM friendships f
        JOIN profiles p ON p.id = CASE WHEN f.smaller = :me THEN f.larger ELSE f.smaller END
        WHERE (f.smaller = :me OR f.larger = :me) AND f.status = 'pending' AND \(side)
        ORDER BY f.created_at DESC, p.id LIMIT :limit OFFSET :offset
        """, arguments: ["me": id, "limit": slice.limit, "offset": slice.offset])
    return try rows.map(dated)
  }

  private static func dated(_ row: Row) throws -> DatedProfileRecord {
    DatedProfileRecord(
      profile: try ProfileRecords.profile(row), createdAt: WireTime(microseconds: row[6]))
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
        SELECT \(ProfileRecords.columns), b.created_at
        FROM blocks b JOIN profiles p ON p.id = b.blocked WHERE b.blocker = ?
        ORDER BY b.created_at DESC, p.id LIMIT ? OFFSET ?
        """, arguments: [id, slice.limit, slice.offset])
    return try rows.map(dated)
  }
}

/// The part of a list that was asked for, already within the limits.
struct Slice: Hashable, Sendable {
  var limit: Int
  var offset: Int
}
