import Foundation
import RallyStorage
import RallyWire

/// The table `operator_invitations`: codes that let one person in and make them nobody's friend. A used
/// one is deleted.
package enum OperatorInvitationRecords {
  package static func insert(
    _ code: InvitationCode, expiresAt: WireTime, at time: WireTime, in database: Database
  ) throws {
    try database.execute(
      sql: "DELETE FROM operator_invitations WHERE expires_at <= ?",
      arguments: [time.microseconds])
    try database.execute(
      sql: "INSERT INTO operator_invitations (code, expires_at, created_at) VALUES (?, ?, ?)",
      arguments: [code.value, expiresAt.microseconds, time.microseconds])
  }

  package static func isOpen(
    _ code: InvitationCode, at time: WireTime, in database: Database
  ) throws -> Bool {
    try Int.fetchOne(
      database, sql: "SELECT 1 FROM operator_invitations WHERE code = ? AND expires_at > ?",
      arguments: [code.value, time.microseconds]) != nil
  }

  package static func delete(_ code: InvitationCode, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM operator_invitations WHERE code = ?", arguments: [code.value])
  }
}
