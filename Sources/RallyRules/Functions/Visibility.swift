import RallyStorage
import RallyWire

/// Who can see whom: the one rule for rows, events and presence.
package enum Visibility {
  /// Whether `reader` may see `person`: not if the person blocks the reader.
  package static func canSee(_ person: String, reader: String, in database: Database) throws -> Bool
  {
    try ProfileRecords.find(person, visibleTo: reader, in: database) != nil
  }

  /// The SQL condition that `:me` may see the profile `p`. One statement serves blocked and unknown
  /// ids, so that neither result nor duration tells them apart.
  static let exists =
    "NOT EXISTS (SELECT 1 FROM blocks b WHERE b.blocker = p.id AND b.blocked = :me)"

  /// Only its two users see a friendship.
  package static func canSee(_ friendship: FriendshipRecord, reader: String) -> Bool {
    reader == friendship.requesterID.wireText || reader == friendship.addresseeID.wireText
  }

  /// How two people stand to each other in the words of the wire.
  package static func status(
    isBlocked: Bool, friendship: FriendshipRecord.Status?, isMine: Bool
  ) -> FriendshipStatus {
    if isBlocked { return .blocked }
    return switch friendship {
    case nil: .none
    case .accepted: .friends
    case .pending: isMine ? .outgoing : .incoming
    }
  }
}
