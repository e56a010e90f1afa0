import Foundation
import RallyStorage
import RallyWire

/// A row of `ssh_keys`: a public key that comes in over SSH as its owner, from the first time on that
/// they came in with it. Until then others may have added it too.
struct StoredSSHKey: Hashable, Sendable {
  let id: UUID
  package let owner: UUID
  let name: String
  let type: String
  /// SSH's binary form as base64.
  let blob: String
  let fingerprint: String
  let createdAt: WireTime
  var lastUsedAt: WireTime?

  /// Whether its owner came in with it.
  var isClaimed: Bool { lastUsedAt != nil }

  var record: SSHKeyRecord {
    SSHKeyRecord(
      id: id, name: name, type: type, fingerprint: fingerprint, createdAt: createdAt,
      lastUsedAt: lastUsedAt)
  }
}

/// The table `ssh_keys`. Removed keys are deleted, so they look like unknown ones.
enum SSHKeyRecords {
  private enum Column: Int, TableColumn {
    case id, userID, name, type, blob, fingerprint, createdAt, lastUsedAt
  }

  private static let table = StoredTable<Column>("ssh_keys", as: "k", key: [.id])

  /// As `ssh-keygen -l` prints it.
  static func fingerprint(of key: SSHPublicKey) -> String {
    "SHA256:" + Data(Sodium.sha256(key.blob)).base64EncodedString().prefix { $0 != "=" }
  }

  private static func key(_ row: Row) throws -> StoredSSHKey {
    StoredSSHKey(
      id: try row[Column.id], owner: try row[Column.userID], name: try row[Column.name],
      type: try row[Column.type], blob: try row[Column.blob],
      fingerprint: try row[Column.fingerprint], createdAt: try row[Column.createdAt],
      lastUsedAt: try row[Column.lastUsedAt])
  }

  static func insert(_ key: StoredSSHKey, in database: Database) throws {
    try table.insert(into: database) { column in
      switch column {
      case .id: key.id
      case .userID: key.owner
      case .name: key.name
      case .type: key.type
      case .blob: key.blob
      case .fingerprint: key.fingerprint
      case .createdAt: key.createdAt
      case .lastUsedAt: key.lastUsedAt
      }
    }
  }

  static func find(_ id: String, in database: Database) throws -> StoredSSHKey? {
    try table.row(where: "k.id = ?", [id], in: database).map(key)
  }

  /// Of the accounts that added a key: the one that claimed it, or all.
  static func all(fingerprint: String, in database: Database) throws -> [StoredSSHKey] {
    let found = try table.rows(
      where: "k.fingerprint = ? ORDER BY k.id", [fingerprint], in: database
    ).map(key)
    return found.first(where: \.isClaimed).map { [$0] } ?? found
  }

  static func find(
    fingerprint: String, of owner: String, in database: Database
  ) throws -> StoredSSHKey? {
    try table.row(where: "k.fingerprint = ? AND k.user_id = ?", [fingerprint, owner], in: database)
      .map(key)
  }

  /// A user's keys, the oldest first.
  static func all(of owner: String, in database: Database) throws -> [StoredSSHKey] {
    try table.rows(where: "k.user_id = ? ORDER BY k.created_at, k.id", [owner], in: database)
      .map(key)
  }

  static func wasUsed(_ id: UUID, at time: WireTime, in database: Database) throws {
    try database.execute(
      sql: "UPDATE ssh_keys SET last_used_at = ? WHERE id = ?",
      arguments: [time.microseconds, id.wireText])
  }

  static func delete(_ id: String, in database: Database) throws {
    try database.execute(sql: "DELETE FROM ssh_keys WHERE id = ?", arguments: [id])
  }

  static func deleteAll(of owner: String, in database: Database) throws {
    try database.execute(sql: "DELETE FROM ssh_keys WHERE user_id = ?", arguments: [owner])
  }
}
