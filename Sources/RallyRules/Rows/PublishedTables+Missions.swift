import Foundation
import RallyWire

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
      .id("user_id") { $0.userID?.wrappedValue }, .text("username") { $0.username },
      .text("display_name") { $0.displayName },
      .id("objective_id") { $0.objectiveID?.wrappedValue },
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
      title: mission.title, brief: mission.brief, centre: mission.centre,
      radiusMetres: mission.radiusMetres, startsAt: mission.startsAt, endsAt: mission.endsAt,
      series: mission.series, capacity: mission.capacity, visibility: mission.visibility,
      state: mission.state,
      createdAt: mission.createdAt, closedAt: acquaintance.closedAt(of: mission),
      version: mission.version, objectives: objectives, members: members,
      memberCount: members.count { $0.state == .joined },
      isFull: mission.capacity.map { joinedCount >= $0 } ?? false, myState: myState,
      isLive: mission.isLive)
  }
}
