import Foundation
import RallyWire

/// The table `profiles`.
enum ProfileRecords {
  static let columns = "p.id, p.username, p.display_name, p.bio, p.version, p.created_at"

  /// Reads the six `columns` from the start of a row.
  static func profile(_ row: Row) throws -> ProfileRecord {
    let text: String = row[0]
    guard let id = UUID(uuidString: text) else {
      throw StorageFailure.damaged("not a uuid")
    }
    return ProfileRecord(
      id: id, username: row[1], displayName: row[2], bio: row[3], version: row[4],
      createdAt: WireTime(microseconds: row[5]))
  }

  static func insert(_ profile: ProfileRecord, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO profiles (id, username, display_name, display_key, bio, version, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        profile.id.wireText, profile.username, profile.displayName,
        NameKey.folded(profile.displayName), profile.bio, profile.version,
        profile.createdAt.microseconds,
      ])
  }

  static func update(_ profile: ProfileRecord, in database: Database) throws {
    try database.execute(
      sql: """
        UPDATE profiles SET username = ?, display_name = ?, display_key = ?, bio = ?, version = ?
        WHERE id = ?
        """,
      arguments: [
        profile.username, profile.displayName, NameKey.folded(profile.displayName), profile.bio,
        profile.version, profile.id.wireText,
      ])
    try FriendNames.rename(
      profile.id.wireText, to: NameKey.folded(profile.displayName), in: database)
  }

  static func find(_ id: String, in database: Database) throws -> ProfileRecord? {
    try Row.fetchOne(
      database, sql: "SELECT \(columns) FROM profiles p WHERE p.id = ?", arguments: [id]
    ).map(profile)
  }

  static func find(
    _ id: String, visibleTo reader: String, in database: Database
  ) throws -> ProfileRecord? {
    try Row.fetchOne(
      database,
      sql: "SELECT \(columns) FROM profiles p WHERE p.id = :id AND \(Visibility.exists)",
      arguments: ["id": id, "me": reader]
    ).map(profile)
  }

  static func find(
    username: String, visibleTo reader: String, in database: Database
  ) throws -> ProfileRecord? {
    try Row.fetchOne(
      database,
      sql: "SELECT \(columns) FROM profiles p WHERE p.username = :name AND \(Visibility.exists)",
      arguments: ["name": username, "me": reader]
    ).map(profile)
  }

  /// For whoever runs the server, to whom everybody is there.
  static func find(username: String, in database: Database) throws -> ProfileRecord? {
    try Row.fetchOne(
      database, sql: "SELECT \(columns) FROM profiles p WHERE p.username = ?", arguments: [username]
    ).map(profile)
  }

  /// A person and their friends, by id.
  static func circle(
    of person: String, limit: Int, in database: Database
  ) throws -> [ProfileRecord] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT \(columns) FROM profiles p
        WHERE (p.id = :me OR p.id IN (
          SELECT larger FROM friendships WHERE smaller = :me AND status = 'accepted'
          UNION ALL SELECT smaller FROM friendships WHERE larger = :me AND status = 'accepted'))
          AND \(Visibility.exists)
        ORDER BY p.id LIMIT :limit
        """, arguments: ["me": person, "limit": limit]
    ).map(profile)
  }

  static func isTaken(username: String, in database: Database) throws -> Bool {
    try Int.fetchOne(
      database, sql: "SELECT 1 FROM profiles WHERE username = ?", arguments: [username]) != nil
  }

  static func setLastSeen(_ time: WireTime, of id: String, in database: Database) throws {
    try database.execute(
      sql: "UPDATE profiles SET last_seen = ? WHERE id = ?", arguments: [time.microseconds, id])
  }
}
