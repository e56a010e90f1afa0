import RallyWire

/// Who exists for whom, in one place: for rows, events and presence alike.
enum Visibility {
  /// Whether `person` exists as far as `reader` may know: not for those whom the person blocked.
  static func canSee(_ person: String, reader: String, in database: Database) throws -> Bool {
    try ProfileRecords.find(person, visibleTo: reader, in: database) != nil
  }

  /// Whether the profile `p` exists for `:me`, for a statement: somebody who blocked the reader and
  /// an unknown id are looked for by the same one, so that neither answers nor time tell them apart.
  static let exists =
    "NOT EXISTS (SELECT 1 FROM blocks b WHERE b.blocker = p.id AND b.blocked = :me)"

  /// A friendship is seen by its two people only.
  static func canSee(_ friendship: FriendshipRecord, reader: String) -> Bool {
    reader == friendship.requesterID.wireText || reader == friendship.addresseeID.wireText
  }

  /// How two people stand to each other in the words of the wire.
  static func status(
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
