import Foundation
import RallyClient
import RallyDomain
import RallyWire

extension Samples {
  /// A mission as the server sends it: near Lisbon, running, with user 1 as a member.
  public static func mission(
    _ number: Int, title: String = "Lanterns", centre: Coordinate = lisbon,
    radiusMetres: Double = 50, startsAt: WireTime = time, endsAt: WireTime? = nil,
    capacity: Int? = nil, visibility: MissionVisibility = .invited,
    state: MissionState = .open, closedAt: WireTime? = nil, version: Int64 = 1,
    creator: Int = 1, objectives: [ObjectiveRecord] = [], members: [MissionMemberRecord] = [],
    memberCount: Int = 1, myState: MissionMembership? = .joined
  ) -> MissionRecord {
    var fields = MissionFields(
      title: title, centre: centre, radiusMetres: radiusMetres, startsAt: startsAt,
      endsAt: endsAt)
    fields.capacity = capacity
    fields.visibility = visibility
    var record = MissionRecord(
      id: id(number), creatorID: id(creator), fields: fields, createdAt: time, version: version,
      objectives: objectives, members: members, memberCount: memberCount)
    record.state = state
    record.closedAt = closedAt
    record.myState = myState
    return record
  }

  public static func objective(
    _ number: Int, title: String = "Blue door", place: Coordinate? = nil,
    radiusMetres: Double? = nil, count: Int = 1, checkIns: Int = 0
  ) -> ObjectiveRecord {
    ObjectiveRecord(
      id: id(number), title: title, place: place, radiusMetres: radiusMetres, count: count,
      checkIns: checkIns, lastBy: nil, lastAt: nil)
  }

  public static func member(
    _ number: Int, state: MissionMembership = .joined
  ) -> MissionMemberRecord {
    let person = person(number)
    return MissionMemberRecord(
      userID: person.id, username: person.username, displayName: person.displayName,
      state: state, joinedAt: state == .joined ? time : nil)
  }

  /// An activity line, `number` seconds after `time`.
  public static func line(
    _ number: Int, _ kind: ActivityKind = .said, by author: Int? = 2, in mission: Int = 1,
    objectiveTitle: String? = nil, text: String? = nil
  ) -> MissionActivityRecord {
    let writer = author.map { person($0) }
    return MissionActivityRecord(
      id: id(100_000 + number), missionID: id(mission), missionTitle: "Lanterns", kind: kind,
      userID: writer?.id, username: writer?.username, displayName: writer?.displayName,
      objectiveTitle: objectiveTitle, text: kind == .said ? text ?? "line \(number)" : nil,
      createdAt: time.advanced(by: .seconds(number)))
  }
}

extension TestPerson {
  public var missionsService: MissionsService { MissionsService(client: client) }

  /// Creates a mission in Lisbon with two objectives, a door and a cat, with the mission's radius
  /// of 50 m.
  ///
  /// - Throws: `NetworkError` if the request fails.
  public func makeMission(
    title: String = "Lanterns", capacity: Int? = nil, visibility: MissionVisibility = .friends,
    objectives: [ObjectiveInput] = [
      ObjectiveInput(title: "Blue door"), ObjectiveInput(title: "Stone cat"),
    ]
  ) async throws -> Mission {
    try await missionsService.createMission(
      CreateMission(
        title: title, centre: Samples.lisbon, radiusMetres: 50, capacity: capacity,
        visibility: visibility, objectives: objectives))
  }

  /// - Parameters:
  ///   - place: The user's position; nil if unknown.
  ///   - now: The client's wall clock.
  @MainActor
  public func makeMissionsStore(
    at place: Coordinate? = nil, refreshPause: Duration = .milliseconds(1),
    now: @escaping () -> WireTime = { .now }
  ) async throws -> MissionsStore {
    let provider = makeCurrentLocationProvider()
    if let place { try await provider.setManual(place) }
    return makeMissionsStore(
      currentLocationProvider: provider, refreshPause: refreshPause, now: now)
  }

  @MainActor
  public func makeMissionsStore(
    currentLocationProvider: CurrentLocationProvider, privacyRules: PrivacyRulesService? = nil,
    refreshPause: Duration = .milliseconds(1), now: @escaping () -> WireTime = { .now }
  ) -> MissionsStore {
    var timing = StoreTiming()
    timing.refreshPause = refreshPause
    return MissionsStore(
      authService: authService, missionsService: missionsService,
      missionActivityRealtimeService: MissionActivityRealtimeService(client: client),
      persistenceService: persistenceService, statePersistenceService: statePersistence,
      currentLocationProvider: currentLocationProvider,
      privacyRules: privacyRules ?? makePrivacyRulesService(now: now), timing: timing, now: now)
  }
}
