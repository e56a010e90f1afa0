import Foundation
import RallyStorage
import RallyWire

/// The table `calendar_addresses`: at most one for each person. Revoked ones are deleted, so that they
/// cannot be told from unknown ones.
package enum CalendarAddressRecords {
  package struct Address: Hashable, Sendable {
    package var owner: String
    /// See `AccessSecret.digest`.
    package var secretHash: String
    var createdAt: WireTime

    var record: CalendarAddressRecord { CalendarAddressRecord(createdAt: createdAt) }
  }

  private enum Column: Int, TableColumn {
    case userID, secretHash, createdAt
  }

  private static let table = StoredTable<Column>("calendar_addresses", as: "c", key: [.userID])

  private static func address(_ row: Row) throws -> Address {
    Address(
      owner: try row[Column.userID], secretHash: try row[Column.secretHash],
      createdAt: try row[Column.createdAt])
  }

  static func insert(_ address: Address, in database: Database) throws {
    try table.insert(into: database) { column in
      switch column {
      case .userID: address.owner
      case .secretHash: address.secretHash
      case .createdAt: address.createdAt
      }
    }
  }

  package static func find(of owner: String, in database: Database) throws -> Address? {
    try table.row(where: "c.user_id = ?", [owner], in: database).map(address)
  }

  /// The address with this secret, of an account that is not disabled.
  package static func find(secretHash: String, in database: Database) throws -> Address? {
    try Row.fetchOne(
      database,
      sql: """
        SELECT \(table.columns) FROM calendar_addresses c JOIN users u ON u.id = c.user_id
        WHERE c.secret_hash = ? AND u.is_banned = 0
        """, arguments: [secretHash]
    ).map(address)
  }

  static func delete(of owner: String, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM calendar_addresses WHERE user_id = ?", arguments: [owner])
  }
}
