import Foundation
import RallyStorage
import RallyWire

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
  package static func set(
    _ cards: [UUID: Sent], of phone: UUID, in database: Database
  ) throws {
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
