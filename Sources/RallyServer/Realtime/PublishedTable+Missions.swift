import RallyWire

// The events of missions; who gets them says `MissionChanges`.
extension PublishedTable {
  /// - Parameter acquaintance: Who of those whom it names exists for those who get it.
  static func event(
    _ type: ChangeEvent.Kind, of mission: StoredMission, acquaintance: MissionAcquaintance,
    at time: WireTime
  ) -> ChangeEvent {
    ChangeEvent(
      table: MissionRecord.table, type: type, commitTimestamp: time.zulu, columns: missions,
      record: record(of: mission, acquaintance: acquaintance),
      oldRecord: type == .insert ? nil : ["id": .string(mission.key)])
  }

  static func record(
    of mission: StoredMission, acquaintance: MissionAcquaintance
  ) -> [String: JSONValue] {
    [
      "id": .string(mission.key),
      "creator_id": acquaintance.creator(of: mission).map(JSONValue.string) ?? .null,
      "title": .string(mission.title), "brief": .string(mission.brief),
      "latitude": .number(mission.centre.latitude),
      "longitude": .number(mission.centre.longitude),
      "radius_m": .number(mission.radiusMetres),
      "starts_at": .string(mission.startsAt.description),
      "ends_at": .time(mission.endsAt),
      "capacity": mission.capacity.map { .integer(Int64($0)) } ?? .null,
      "visibility": .string(mission.visibility.rawValue),
      "state": .string(mission.state.rawValue),
      "created_at": .string(mission.createdAt.description),
      "closed_at": .time(acquaintance.closedAt(of: mission)),
      "version": .integer(mission.version),
    ]
  }

  /// - Parameter member: nil only for a row that is gone.
  static func event(
    _ type: ChangeEvent.Kind, of member: StoredMember?, key: MemberKey, at time: WireTime
  ) -> ChangeEvent {
    let names: [String: JSONValue] = [
      "mission_id": .string(key.mission), "user_id": .string(key.user),
    ]
    guard type != .delete, let member else {
      return deletion(of: MissionMemberRecord.table, key: names, at: time)
    }
    return ChangeEvent(
      table: MissionMemberRecord.table, type: type, commitTimestamp: time.zulu,
      columns: missionMembers, record: record(of: member, in: key.mission),
      oldRecord: type == .insert ? nil : names)
  }

  static func record(of member: StoredMember, in mission: String) -> [String: JSONValue] {
    [
      "mission_id": .string(mission), "user_id": .string(member.userID),
      "state": .string(member.state.rawValue), "joined_at": .time(member.joinedAt),
      "version": .integer(member.version),
    ]
  }

  static func event(of line: MissionActivityRecord, at time: WireTime) throws -> ChangeEvent {
    ChangeEvent(
      table: MissionActivityRecord.table, type: .insert, commitTimestamp: time.zulu,
      columns: missionActivity, record: try record(line, columns: missionActivity),
      oldRecord: nil)
  }

  static func deletion(
    of table: String, key: [String: JSONValue], at time: WireTime
  ) -> ChangeEvent {
    ChangeEvent(
      table: table, type: .delete, commitTimestamp: time.zulu, columns: columns[table] ?? [],
      record: nil, oldRecord: key)
  }
}

extension JSONValue {
  fileprivate static func time(_ time: WireTime?) -> JSONValue {
    time.map { .string($0.description) } ?? .null
  }
}
