import Foundation
import RallyStorage
import RallyText
import RallyWire

/// A table as clients see it: the one list of its columns, from which its events and its rows under
/// `/rest/v1` are made.
package struct PublishedTable<Record>: Sendable {
  /// A column: its name, its type and its value in a row.
  struct Column: Sendable {
    let name: String
    let type: ColumnType
    let value: @Sendable (Record) -> JSONValue

    private static func make<Value>(
      _ name: String, _ type: ColumnType, _ value: @escaping @Sendable (Record) -> Value?,
      _ json: @escaping @Sendable (Value) -> JSONValue
    ) -> Column {
      Column(name: name, type: type) { row in value(row).map(json) ?? .null }
    }

    static func id(_ name: String, _ value: @escaping @Sendable (Record) -> UUID?) -> Column {
      make(name, .uuid, value) { .string($0.wireText) }
    }

    /// An id as storage has it.
    package static func key(_ name: String, _ value: @escaping @Sendable (Record) -> String?)
      -> Column
    {
      make(name, .uuid, value, JSONValue.string)
    }

    static func text(_ name: String, _ value: @escaping @Sendable (Record) -> String?) -> Column {
      make(name, .text, value, JSONValue.string)
    }

    static func integer(_ name: String, _ value: @escaping @Sendable (Record) -> Int64?) -> Column {
      make(name, .integer, value, JSONValue.integer)
    }

    static func number(_ name: String, _ value: @escaping @Sendable (Record) -> Double?) -> Column {
      make(name, .number, value, JSONValue.number)
    }

    static func json(
      _ name: String, _ value: @escaping @Sendable (Record) -> JSONValue?
    ) -> Column {
      make(name, .json, value) { $0 }
    }

    static func flag(_ name: String, _ value: @escaping @Sendable (Record) -> Bool?) -> Column {
      make(name, .bool, value, JSONValue.bool)
    }

    static func time(_ name: String, _ value: @escaping @Sendable (Record) -> WireTime?) -> Column {
      make(name, .time, value) { .string($0.description) }
    }
  }

  let name: String
  /// As events and queries name them.
  let columns: [ChangeEvent.Column]
  private let values: [Column]
  private let key: Set<String>

  init(_ name: String, key: Set<String>, _ columns: [Column]) {
    self.name = name
    self.key = key
    self.columns = columns.map { .init(name: $0.name, type: $0.type.rawValue) }
    values = columns
  }

  /// Every column of a row, null ones too, as PostgreSQL writes it.
  func record(_ row: Record) -> JSONRow {
    var record = JSONRow(minimumCapacity: values.count)
    for column in values { record[column.name] = column.value(row) }
    return record
  }

  /// The event for an entry of the feed; nil for an insert or update whose row is gone again.
  package func event(for change: Change, of row: Record?, key: JSONRow) -> ChangeEvent? {
    if change.operation == .delete { return deletion(of: key, at: change.at) }
    return row.map { event(change.operation == .insert ? .insert : .update, of: $0, at: change.at) }
  }

  /// - Parameter type: Not a delete.
  package func event(_ type: ChangeEvent.Kind, of row: Record, at time: WireTime) -> ChangeEvent {
    let record = record(row)
    return ChangeEvent(
      table: name, type: type, commitTimestamp: time.zulu, columns: columns, record: record,
      oldRecord: type == .insert ? nil : record.filter { key.contains($0.key) })
  }

  /// - Parameter key: The values of the key's columns.
  package func deletion(of key: JSONRow, at time: WireTime) -> ChangeEvent {
    ChangeEvent(
      table: name, type: .delete, commitTimestamp: time.zulu, columns: columns, record: nil,
      oldRecord: key)
  }
}

/// The tables that clients read or listen to.
package enum PublishedTables {
  package static let schema = "public"

  /// The columns of the tables whose changes can be listened to.
  package static let listened: [String: [ChangeEvent.Column]] = [
    friendships.name: friendships.columns, locations.name: locations.columns,
    missions.name: missions.columns, missionMembers.name: missionMembers.columns,
    missionActivity.name: missionActivity.columns, locationSharing.name: locationSharing.columns,
    locationAsks.name: locationAsks.columns,
  ]

  static let profiles = PublishedTable<ProfileRecord>(
    "profiles", key: ["id"],
    [
      .id("id") { $0.id }, .text("username") { $0.username },
      .text("display_name") { $0.displayName }, .text("bio") { $0.bio },
      .integer("version") { $0.version }, .time("created_at") { $0.createdAt },
    ])

  package static let friendships = PublishedTable<FriendshipRecord>(
    FriendshipRecord.table, key: ["id"],
    [
      .id("id") { $0.id }, .id("requester_id") { $0.requesterID },
      .id("addressee_id") { $0.addresseeID }, .text("status") { $0.status.rawValue },
      .time("created_at") { $0.createdAt }, .time("accepted_at") { $0.acceptedAt },
      .integer("version") { $0.version },
    ])

  package static let locations = PublishedTable<LocationRecord>(
    LocationRecord.table, key: ["user_id"],
    [
      .id("user_id") { $0.userID }, .number("latitude") { $0.latitude },
      .number("longitude") { $0.longitude }, .number("accuracy_m") { $0.accuracyMetres },
      .number("speed") { $0.speed }, .number("course") { $0.course },
      .number("battery") { $0.battery }, .time("recorded_at") { $0.recordedAt },
      .text("source") { $0.source }, .text("precision") { $0.precision.rawValue },
      .integer("version") { $0.version },
    ])

  /// Only the owner, `user_id`, gets these; `friend_id` is null for the default.
  package static let locationSharing = PublishedTable<(key: SharingKey, sharing: Sharing)>(
    LocationSharingRecord.table, key: ["user_id", "friend_id"],
    [
      .key("user_id") { $0.key.owner },
      .key("friend_id") { $0.key.friend == $0.key.owner ? nil : $0.key.friend },
      .text("mode") { $0.sharing.mode.rawValue }, .time("until") { $0.sharing.until },
    ])

  /// Whether a question was closed is no column: whoever asked must not learn it.
  package static let locationAsks = PublishedTable<LocationAsk>(
    LocationAskRecord.table, key: ["asker_id", "asked_id"],
    [
      .key("asker_id") { $0.key.asker }, .key("asked_id") { $0.key.asked },
      .time("asked_at") { $0.askedAt },
    ])
}

// A mission as its reader sees it. `MissionAccess` decides who that is.

extension PublishedTables {
  /// Without objectives and members, which clients fetch.
  ///
  /// The acquaintance says which of the people whom the mission names exist for the reader.
  package static let missions = PublishedTable<
    (mission: StoredMission, acquaintance: MissionAcquaintance)
  >(
    MissionRecord.table, key: ["id"],
    [
      .id("id") { $0.mission.id },
      .key("creator_id") { $0.acquaintance.creator(of: $0.mission) },
      .text("title") { $0.mission.title },
      .text("brief") { $0.mission.brief },
      .number("latitude") { $0.mission.centre.latitude },
      .number("longitude") { $0.mission.centre.longitude },
      .number("radius_m") { $0.mission.radiusMetres },
      .time("starts_at") { $0.mission.startsAt },
      .time("ends_at") { $0.mission.endsAt },
      .json("series") { $0.mission.series.flatMap { try? JSONValue(encoding: $0) } },
      .integer("capacity") { $0.mission.capacity.map(Int64.init) },
      .text("visibility") { $0.mission.visibility.rawValue },
      .text("state") { $0.mission.state.rawValue },
      .time("created_at") { $0.mission.createdAt },
      .time("closed_at") { $0.acquaintance.closedAt(of: $0.mission) },
      .integer("version") { $0.mission.version },
      .flag("is_live") { $0.mission.isLive },
    ])

  package static let missionMembers = PublishedTable<(mission: String, member: StoredMember)>(
    MissionMemberRecord.table, key: ["mission_id", "user_id"],
    [
      .key("mission_id") { $0.mission }, .key("user_id") { $0.member.userID },
      .text("state") { $0.member.state.rawValue }, .time("joined_at") { $0.member.joinedAt },
      .integer("version") { $0.member.version },
    ])

  package static let missionActivity = PublishedTable<MissionActivityRecord>(
    MissionActivityRecord.table, key: ["id"],
    [
      .id("id") { $0.id }, .id("mission_id") { $0.missionID },
      .text("mission_title") { $0.missionTitle }, .text("kind") { $0.kind.rawValue },
      .id("user_id") { $0.userID }, .text("username") { $0.username },
      .text("display_name") { $0.displayName },
      .id("objective_id") { $0.objectiveID },
      .text("objective_title") { $0.objectiveTitle }, .text("text") { $0.text },
      .time("created_at") { $0.createdAt },
    ])
}

extension MissionRecord {
  /// - Parameters:
  ///   - members: Those whom the reader sees.
  ///   - joinedCount: How many are in it, also those whom the reader does not see.
  init(
    _ mission: StoredMission, acquaintance: MissionAcquaintance, objectives: [ObjectiveRecord],
    members: [MissionMemberRecord], joinedCount: Int, myState: MissionMembership?
  ) {
    self.init(
      id: mission.id,
      creatorID: acquaintance.creator(of: mission).flatMap(UUID.init(wireText:)),
      fields: mission.fields, createdAt: mission.createdAt, version: mission.version,
      objectives: objectives, members: members)
    state = mission.state
    closedAt = acquaintance.closedAt(of: mission)
    isFull = mission.capacity.map { joinedCount >= $0 } ?? false
    self.myState = myState
  }
}

/// The tables that can be read under `/rest/v1`.
package enum ReadableTable: String, CaseIterable, Sendable {
  case profiles, friendships, locations, missions
  case missionMembers = "mission_members"
  case missionActivity = "mission_activity"

  package var relation: RowRelation {
    RowRelation(
      name: rawValue,
      columns: PublishedTables.listened[rawValue] ?? PublishedTables.profiles.columns)
  }
}
