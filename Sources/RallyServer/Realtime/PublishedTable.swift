import RallyWire

/// The tables whose changes can be listened to, with the columns that events name.
enum PublishedTable {
  static let schema = "public"

  static let friendships: [ChangeEvent.Column] = [
    .init(name: "id", type: "uuid"), .init(name: "requester_id", type: "uuid"),
    .init(name: "addressee_id", type: "uuid"), .init(name: "status", type: "text"),
    .init(name: "created_at", type: "timestamptz"),
    .init(name: "accepted_at", type: "timestamptz"), .init(name: "version", type: "int8"),
  ]

  static let columns: [String: [ChangeEvent.Column]] = [FriendshipRecord.table: friendships]

  /// The event for a change of a friendship; nil for an insert or update whose row is gone again.
  static func event(
    for change: Change, row: FriendshipRecord?
  ) throws -> ChangeEvent? {
    let key: [String: JSONValue] = ["id": .string(change.key)]
    guard change.operation != .delete else {
      return ChangeEvent(
        table: FriendshipRecord.table, type: .delete, commitTimestamp: change.at.zulu,
        columns: friendships, record: nil, oldRecord: key)
    }
    guard let row, case .object(var record) = try JSONValue(encoding: row) else { return nil }
    // PostgreSQL writes every column of a row, null ones too.
    for column in friendships where record[column.name] == nil { record[column.name] = .null }
    return ChangeEvent(
      table: FriendshipRecord.table, type: change.operation == .insert ? .insert : .update,
      commitTimestamp: change.at.zulu, columns: friendships, record: record,
      oldRecord: change.operation == .insert ? nil : key)
  }
}
