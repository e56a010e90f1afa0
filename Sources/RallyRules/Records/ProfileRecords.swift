import Foundation
import RallyStorage
import RallyWire

package enum ProfileRecords {
  private enum Column: Int, TableColumn {
    case id, username, displayName, bio, version, createdAt, displayKey
  }

  private static let table = StoredTable<Column>("profiles", as: "p", key: [.id], unread: 1)
  static let columns = table.columns

  /// Reads a row that begins with `columns`.
  package static func profile(_ row: Row) throws -> ProfileRecord {
    ProfileRecord(
      id: try row[Column.id], username: try row[Column.username],
      displayName: try row[Column.displayName], bio: try row[Column.bio],
      version: try row[Column.version], createdAt: try row[Column.createdAt])
  }

  private static func value(of column: Column, in profile: ProfileRecord) -> (any SQLConvertible)? {
    switch column {
    case .id: profile.id
    case .username: profile.username
    case .displayName: profile.displayName
    case .bio: profile.bio
    case .version: profile.version
    case .createdAt: profile.createdAt
    case .displayKey: NameKey.folded(profile.displayName)
    }
  }

  package static func insert(_ profile: ProfileRecord, in database: Database) throws {
    try table.insert(into: database) { value(of: $0, in: profile) }
  }

  package static func update(_ profile: ProfileRecord, at time: WireTime, in database: Database)
    throws
  {
    try table.update(in: database) { value(of: $0, in: profile) }
    try FriendNames.rename(
      profile.id.wireText, to: NameKey.folded(profile.displayName), in: database)
    try ChangeLog.append(.update, in: .profiles, key: profile.id.wireText, at: time, to: database)
  }

  package static func find(_ id: String, in database: Database) throws -> ProfileRecord? {
    try table.row(where: "p.id = ?", [id], in: database).map(profile)
  }

  package static func find(
    _ id: String, visibleTo reader: String, in database: Database
  ) throws -> ProfileRecord? {
    try table.row(
      where: "p.id = :id AND \(Visibility.exists)", ["id": id, "me": reader], in: database
    ).map(profile)
  }

  package static func find(
    username: String, visibleTo reader: String, in database: Database
  ) throws -> ProfileRecord? {
    try table.row(
      where: "p.username = :name AND \(Visibility.exists)", ["name": username, "me": reader],
      in: database
    ).map(profile)
  }

  /// For whoever runs the server, to whom everybody is there.
  package static func find(username: String, in database: Database) throws -> ProfileRecord? {
    try table.row(where: "p.username = ?", [username], in: database).map(profile)
  }

  /// A person and their friends, by id.
  static func circle(
    of person: String, limit: Int, in database: Database
  ) throws -> [ProfileRecord] {
    try table.rows(
      where: """
        (p.id = :me OR p.id IN (
          \(FriendRecords.friendIDs)))
          AND \(Visibility.exists)
        ORDER BY p.id LIMIT :limit
        """, ["me": person, "limit": limit], in: database
    ).map(profile)
  }

  static func isTaken(username: String, in database: Database) throws -> Bool {
    try Int.fetchOne(
      database, sql: "SELECT 1 FROM profiles WHERE username = ?", arguments: [username]) != nil
  }

  package static func setLastSeen(_ time: WireTime, of id: String, in database: Database) throws {
    try database.execute(
      sql: "UPDATE profiles SET last_seen = ? WHERE id = ?", arguments: [time.microseconds, id])
  }
}
