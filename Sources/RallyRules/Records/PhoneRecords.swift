import Foundation
import RallyStorage
import RallyWire

/// A row of `phones`: an app on a phone that may report its owner's position.
package struct StoredPhone: Hashable, Sendable {
  package let id: UUID
  package let owner: UUID
  package let app: PhoneApp
  let name: String
  /// See `AccessSecret.digest`.
  package let secretHash: String
  let createdAt: WireTime
  package var lastPostAt: WireTime?
  /// When the newest position that was taken was measured, by the phone's clock.
  package var lastFixAt: WireTime?
  package var problem: String?
  package var problemAt: WireTime?
  /// When its app was last sent the command to report its position.
  package var commandedAt: WireTime?
  /// Whether the reply to the post that is being taken has that command; not stored.
  package var isReportWanted = false

  var record: PhoneRecord {
    PhoneRecord(
      id: id, app: app, name: name, createdAt: createdAt, lastPostAt: lastPostAt,
      lastFixAt: lastFixAt, problem: problem, problemAt: problemAt)
  }
}

/// The table `phones`. Revoked phones are deleted, so they look like unknown ones.
package enum PhoneRecords {
  private enum Column: Int, TableColumn {
    case id, userID, app, name, secretHash, createdAt, lastPostAt, lastFixAt, problem, problemAt
    case commandedAt
  }

  private static let table = StoredTable<Column>("phones", as: "h", key: [.id])

  private static func phone(_ row: Row) throws -> StoredPhone {
    StoredPhone(
      id: try row[Column.id], owner: try row[Column.userID], app: try row[Column.app],
      name: try row[Column.name], secretHash: try row[Column.secretHash],
      createdAt: try row[Column.createdAt], lastPostAt: try row[Column.lastPostAt],
      lastFixAt: try row[Column.lastFixAt], problem: try row[Column.problem],
      problemAt: try row[Column.problemAt], commandedAt: try row[Column.commandedAt])
  }

  private static func value(of column: Column, in phone: StoredPhone) -> (any SQLConvertible)? {
    switch column {
    case .id: phone.id
    case .userID: phone.owner
    case .app: phone.app
    case .name: phone.name
    case .secretHash: phone.secretHash
    case .createdAt: phone.createdAt
    case .lastPostAt: phone.lastPostAt
    case .lastFixAt: phone.lastFixAt
    case .problem: phone.problem
    case .problemAt: phone.problemAt
    case .commandedAt: phone.commandedAt
    }
  }

  static func insert(_ phone: StoredPhone, in database: Database) throws {
    try table.insert(into: database) { value(of: $0, in: phone) }
  }

  package static func update(_ phone: StoredPhone, in database: Database) throws {
    try table.update(in: database) { value(of: $0, in: phone) }
  }

  package static func find(_ id: String, in database: Database) throws -> StoredPhone? {
    try table.row(where: "h.id = ?", [id], in: database).map(phone)
  }

  /// The phone with this credential, of an account that is not disabled.
  package static func find(
    secretHash: String, app: PhoneApp, in database: Database
  ) throws -> StoredPhone? {
    try Row.fetchOne(
      database,
      sql: """
        SELECT \(table.columns) FROM phones h JOIN users u ON u.id = h.user_id
        WHERE h.secret_hash = ? AND h.app = ? AND u.is_banned = 0
        """, arguments: [secretHash, app.rawValue]
    ).map(phone)
  }

  static func isKnown(secretHash: String, in database: Database) throws -> Bool {
    try Int.fetchOne(
      database, sql: "SELECT 1 FROM phones WHERE secret_hash = ?", arguments: [secretHash]) != nil
  }

  /// A user's phones, the oldest first.
  static func all(of owner: String, in database: Database) throws -> [StoredPhone] {
    try table.rows(where: "h.user_id = ? ORDER BY h.created_at, h.id", [owner], in: database)
      .map(phone)
  }

  static func delete(_ id: String, in database: Database) throws {
    try database.execute(sql: "DELETE FROM phones WHERE id = ?", arguments: [id])
  }

  static func deleteAll(of owner: String, in database: Database) throws {
    try database.execute(sql: "DELETE FROM phones WHERE user_id = ?", arguments: [owner])
  }
}

/// The table `phone_cards`: which card of each friend a phone was sent last.
package enum PhoneCardRecords {
  package struct Sent: Hashable, Sendable {
    /// Of the card's content.
    package var digest: String
    package var at: WireTime

    package init(digest: String, at: WireTime) {
      self.digest = digest
      self.at = at
    }
  }

  /// By friend.
  package static func all(of phone: UUID, in database: Database) throws -> [UUID: Sent] {
    let rows = try Row.fetchAll(
      database, sql: "SELECT friend, digest, sent_at FROM phone_cards WHERE phone_id = ?",
      arguments: [phone.wireText])
    return try rows.reduce(into: [:]) { result, row in
      result[try row["friend"]] = Sent(digest: try row["digest"], at: try row["sent_at"])
    }
  }

  /// Nothing for a phone that was revoked meanwhile.
  package static func set(_ cards: [UUID: Sent], of phone: UUID, in database: Database) throws {
    guard try PhoneRecords.find(phone.wireText, in: database) != nil else { return }
    for (friend, sent) in cards.sorted(by: { $0.key < $1.key })
    where try ProfileRecords.find(friend.wireText, in: database) != nil {
      try database.execute(
        sql: """
          INSERT INTO phone_cards (phone_id, friend, digest, sent_at) VALUES (?, ?, ?, ?)
          ON CONFLICT (phone_id, friend)
          DO UPDATE SET digest = excluded.digest, sent_at = excluded.sent_at
          """,
        arguments: [phone.wireText, friend.wireText, sent.digest, sent.at.microseconds])
    }
  }
}
