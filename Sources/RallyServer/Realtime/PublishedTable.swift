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

  static let locations: [ChangeEvent.Column] = [
    .init(name: "user_id", type: "uuid"), .init(name: "latitude", type: "float8"),
    .init(name: "longitude", type: "float8"), .init(name: "accuracy_m", type: "float8"),
    .init(name: "speed", type: "float8"), .init(name: "course", type: "float8"),
    .init(name: "battery", type: "float8"), .init(name: "recorded_at", type: "timestamptz"),
    .init(name: "source", type: "text"), .init(name: "precision", type: "text"),
    .init(name: "version", type: "int8"),
  ]

  /// Only the owner, `user_id`, hears of these; `friend_id` is null for the default.
  static let locationSharing: [ChangeEvent.Column] = [
    .init(name: "user_id", type: "uuid"), .init(name: "friend_id", type: "uuid"),
    .init(name: "mode", type: "text"), .init(name: "until", type: "timestamptz"),
  ]

  /// Without objectives and members: those are fetched.
  static let missions: [ChangeEvent.Column] = [
    .init(name: "id", type: "uuid"), .init(name: "creator_id", type: "uuid"),
    .init(name: "title", type: "text"), .init(name: "brief", type: "text"),
    .init(name: "latitude", type: "float8"), .init(name: "longitude", type: "float8"),
    .init(name: "radius_m", type: "float8"), .init(name: "starts_at", type: "timestamptz"),
    .init(name: "ends_at", type: "timestamptz"), .init(name: "capacity", type: "int8"),
    .init(name: "visibility", type: "text"), .init(name: "state", type: "text"),
    .init(name: "created_at", type: "timestamptz"),
    .init(name: "closed_at", type: "timestamptz"), .init(name: "version", type: "int8"),
  ]

  static let missionMembers: [ChangeEvent.Column] = [
    .init(name: "mission_id", type: "uuid"), .init(name: "user_id", type: "uuid"),
    .init(name: "state", type: "text"), .init(name: "joined_at", type: "timestamptz"),
    .init(name: "version", type: "int8"),
  ]

  static let missionActivity: [ChangeEvent.Column] = [
    .init(name: "id", type: "uuid"), .init(name: "mission_id", type: "uuid"),
    .init(name: "mission_title", type: "text"), .init(name: "kind", type: "text"),
    .init(name: "user_id", type: "uuid"), .init(name: "username", type: "text"),
    .init(name: "display_name", type: "text"), .init(name: "objective_id", type: "uuid"),
    .init(name: "objective_title", type: "text"), .init(name: "text", type: "text"),
    .init(name: "created_at", type: "timestamptz"),
  ]

  static let columns: [String: [ChangeEvent.Column]] = [
    FriendshipRecord.table: friendships, LocationRecord.table: locations,
    MissionRecord.table: missions, MissionMemberRecord.table: missionMembers,
    MissionActivityRecord.table: missionActivity, LocationSharingRecord.table: locationSharing,
  ]

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
    guard let row else { return nil }
    return ChangeEvent(
      table: FriendshipRecord.table, type: change.operation == .insert ? .insert : .update,
      commitTimestamp: change.at.zulu, columns: friendships,
      record: try record(row, columns: friendships),
      oldRecord: change.operation == .insert ? nil : key)
  }

  /// The event for a change of a position, as somebody experiences it who sees `record` now.
  ///
  /// - Parameter record: Cut for the reader; nil when they see nothing any more.
  static func event(
    _ type: ChangeEvent.Kind, of owner: String, at time: WireTime, record: LocationRecord?
  ) throws -> ChangeEvent? {
    let key: [String: JSONValue] = ["user_id": .string(owner)]
    guard type != .delete else {
      return ChangeEvent(
        table: LocationRecord.table, type: .delete, commitTimestamp: time.zulu,
        columns: locations, record: nil, oldRecord: key)
    }
    guard let record else { return nil }
    return ChangeEvent(
      // The commit would tell to the microsecond when a coarse reader's cell changed, also in a
      // log that is read a year later, or by somebody who was not listening at that moment.
      table: LocationRecord.table, type: type,
      commitTimestamp: (record.precision == .precise ? time : record.recordedAt).zulu,
      columns: locations, record: try self.record(record, columns: locations),
      oldRecord: type == .insert ? nil : key)
  }

  /// The event for a change of a decision about sharing, for its owner alone; nil for an insert or
  /// update whose row is gone again.
  static func event(for change: Change, of key: SharingKey, row: Sharing?) -> ChangeEvent? {
    let names: [String: JSONValue] = [
      "user_id": .string(key.owner),
      "friend_id": key.friend == key.owner ? .null : .string(key.friend),
    ]
    guard change.operation != .delete else {
      return deletion(of: LocationSharingRecord.table, key: names, at: change.at)
    }
    guard let row else { return nil }
    let record = names.merging([
      "mode": .string(row.mode.rawValue),
      "until": row.until.map { .string($0.description) } ?? .null,
    ]) { $1 }
    return ChangeEvent(
      table: LocationSharingRecord.table, type: change.operation == .insert ? .insert : .update,
      commitTimestamp: change.at.zulu, columns: locationSharing, record: record,
      oldRecord: change.operation == .insert ? nil : names)
  }

  /// PostgreSQL writes every column of a row, null ones too.
  static func record(
    _ row: some Encodable, columns: [ChangeEvent.Column]
  ) throws -> [String: JSONValue] {
    var record = try JSONValue(encoding: row).object ?? [:]
    for column in columns where record[column.name] == nil { record[column.name] = .null }
    return record
  }
}
