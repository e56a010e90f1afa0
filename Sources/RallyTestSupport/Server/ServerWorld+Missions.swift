import Foundation
import RallyWire

extension CreateMission {
  /// A mission in Lisbon that runs without end.
  package static func sample(
    _ title: String = "Tiles", at centre: Coordinate = .lisbon, radius: Double = 100,
    startsAt: WireTime? = nil, endsAt: WireTime? = nil, capacity: Int? = nil,
    visibility: MissionVisibility? = .friends, objectives: [ObjectiveInput]? = nil
  ) -> CreateMission {
    CreateMission(
      title: title, centre: centre, radiusMetres: radius, startsAt: startsAt, endsAt: endsAt,
      capacity: capacity, visibility: visibility, objectives: objectives)
  }
}

extension ServerWorld {
  /// The tables of missions.
  package static let missionTables = ["missions", "mission_members", "mission_activity"]
  package static let noon = WireTime("2026-08-01T12:00:00Z")!

  /// People with a clock at noon, the first of whom is a friend of all others.
  package static func withFriends(_ count: Int, strangers: Int = 0) async throws -> ServerWorld {
    let world = try await ServerWorld(
      members: count + strangers, at: noon, tables: missionTables)
    for other in 1..<count { try await world.befriend(0, other) }
    return world
  }

  package func wait(seconds: Int64) { now = now.advanced(by: .seconds(seconds)) }

  package func create(_ call: CreateMission = .sample(), as member: Int = 0) async throws
    -> MissionRecord
  {
    try await result(of: call, as: member)
  }

  package func mission(_ id: UUID, as member: Int) async throws -> MissionRecord {
    try await result(of: FetchMission(missionID: id), as: member)
  }

  @discardableResult
  package func join(_ id: UUID, as member: Int) async throws -> MissionRecord {
    try await result(of: JoinMission(missionID: id), as: member)
  }

  package func invite(_ guest: Int, to id: UUID, as member: Int = 0) async throws {
    try await call(InviteToMission(missionID: id, userIDs: [members[guest].id]), as: member)
  }

  /// What the lines of a mission are about, the newest first.
  package func lines(of id: UUID?, as member: Int) async throws -> [ActivityKind] {
    try await result(of: FetchMissionActivity(missionID: id), as: member).map(\.kind)
  }

  package func block(_ other: Int, by member: Int) async throws {
    try await call(BlockUser(userID: members[other].id), as: member)
  }
}
