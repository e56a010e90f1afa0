import RallyWire

/// Who exists for whom, in one place: for rows, events and presence alike.
enum Visibility {
  /// Whether `person` exists as far as `reader` may know: not for those whom the person blocked.
  static func canSee(_ person: String, reader: String, in database: Database) throws -> Bool {
    guard try ProfileRecords.exists(person, in: database) else { return false }
    return try !FriendRecords.isBlocked(reader, by: person, in: database)
  }

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
