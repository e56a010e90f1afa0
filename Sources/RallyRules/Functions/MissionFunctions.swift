import Foundation
import RallyStorage
import RallyWire

struct MissionFunctions: Sendable {
  var budgets = BudgetKeeper()
  var now: @Sendable () -> WireTime = { .now }

  // MARK: - Reads

  func fetchMission(
    _ call: FetchMission, caller: Caller, in database: Database
  ) throws -> MissionRecord {
    try MissionContext(call.missionID, caller: caller, at: now(), in: database).record(in: database)
  }

  func fetchMissions(
    _ call: FetchMissions, caller: Caller, in database: Database
  ) throws -> [MissionRecord] {
    let slice = try Slice(limit: call.limit, offset: call.offset)
    let reader = try MissionReader(caller.userID, at: now(), in: database)
    let missions: [StoredMission]
    switch call.scope {
    case .active:
      missions = try MissionRecords.open(
        of: caller.userID, at: reader.time, slice: slice, in: database)
    case .done:
      missions = try MissionRecords.over(
        of: caller.userID, at: reader.time, slice: slice, in: database)
    case .nearby:
      missions = try nearby(call, reader: reader, slice: slice, in: database)
    }
    return try missions.map { try Self.record(of: $0, for: reader, in: database) }
  }

  /// A mission that a reader may see.
  static func record(
    of mission: StoredMission, for reader: MissionReader, in database: Database
  ) throws -> MissionRecord {
    let member = try MissionMemberRecords.find(reader.userID, in: mission.key, from: database)
    return try MissionAccess.record(of: mission, as: member?.state, reader: reader, in: database)
  }

  private func nearby(
    _ call: FetchMissions, reader: MissionReader, slice: Slice, in database: Database
  ) throws -> [StoredMission] {
    guard
      let centre = try MissionInput.place(latitude: call.latitude, longitude: call.longitude)
    else { throw MissionInput.invalid("Say where: p_latitude and p_longitude.") }
    let radius = call.radiusMetres ?? FetchMissions.defaultRadius
    guard FetchMissions.radii.contains(radius) else {
      throw MissionInput.invalid("p_radius_m is in 1...20100000.")
    }
    return try NearbyMissions(reader: reader, centre: centre).find(
      within: radius, slice: slice, in: database)
  }

  // MARK: - Making and changing

  func createMission(
    _ call: CreateMission, caller: Caller, in database: Database
  ) throws -> MissionRecord {
    let time = now()
    var fields = MissionFields(
      title: "", centre: .unmeasured, radiusMetres: call.radiusMetres, startsAt: time)
    try MissionInput.apply(call.changes, to: &fields)
    var mission = StoredMission(id: UUID(), creator: caller.userID, fields: fields, createdAt: time)
    try MissionInput.check(fields, at: time)
    mission.fields.series = try MissionSeriesFunctions.series(of: call, for: mission)
    let objectives = try MissionInput.objectives(call.objectives ?? [])
    try budgets.requireRoom(
      .openMissionsPerPerson,
      beside: try MissionRecords.openCount(by: caller.userID, at: time, in: database),
      of: caller.userID, at: time, in: database
    ) { "You have \($0) open missions; complete or cancel some first." }
    try budgets.charge(
      MissionFunctions.bytes(mission, objectives), rows: 1 + objectives.count,
      to: caller.userID, at: time, in: database)
    try MissionRecords.insert(mission, in: database)
    try ObjectiveRecords.replace(objectives, of: mission.key, in: database)
    let creator = StoredMember(
      userID: caller.userID, state: .joined, broughtBy: caller.userID, joinedAt: time)
    try MissionMemberRecords.set(creator, in: mission, to: database)
    try ChangeLog.append(.insert, in: .missions, key: mission.key, at: time, to: database)
    try ChangeLog.append(
      .update, in: .missionMembers,
      key: MemberKey(mission: mission.key, user: caller.userID, before: nil, after: .joined).text,
      at: time, to: database)
    try ActivityRecords.append(
      ActivityLine(kind: .created, userID: caller.userID), to: mission.key, at: time, in: database)
    return try fetch(mission.id, caller: caller, at: time, in: database)
  }

  func updateMission(
    _ call: UpdateMission, caller: Caller, in database: Database
  ) throws -> MissionRecord {
    let time = now()
    let context = try MissionContext(call.missionID, caller: caller, at: time, in: database)
    try context.requireCreator()
    try context.requireOpen()
    var mission = context.mission
    try MissionInput.apply(call.changes, to: &mission.fields)
    try MissionInput.check(mission.fields, at: time)
    try MissionSeriesFunctions.apply(call, from: context.mission.startsAt, to: &mission)
    if let capacity = mission.capacity {
      let count = try MissionMemberRecords.joinedCount(in: mission.key, from: database)
      guard capacity >= count else {
        throw MissionInput.invalid("More people than that are in it; give more places.")
      }
    }
    let old = try ObjectiveRecords.all(of: mission.key, in: database)
    let new = try call.objectives.map { try MissionInput.objectives($0, replacing: old) } ?? old
    let isSame = new.count == old.count && zip(new, old).allSatisfy { $0.isSame(as: $1) }
    guard mission != context.mission || !isSame else { return try context.record(in: database) }
    let growth =
      MissionFunctions.bytes(mission, new) - MissionFunctions.bytes(context.mission, old)
    try budgets.charge(
      max(0, growth), rows: max(0, new.count - old.count), to: caller.userID, at: time,
      in: database)
    if !isSame { try ObjectiveRecords.replace(new, of: mission.key, in: database) }
    if mission.visibility == .private, context.mission.visibility != .private {
      try withdrawInvitations(to: mission, at: time, in: database)
    }
    if !isSame, !new.isEmpty, new.allSatisfy(\.isDone) {
      // The last open objective was removed.
      try MissionReconciler.close(
        &mission, as: .completed, by: caller.userID, at: time, in: database)
    } else {
      try MissionReconciler.store(&mission, at: time, in: database)
    }
    return try fetch(mission.id, caller: caller, at: time, in: database)
  }

  private static func bytes(_ mission: StoredMission, _ objectives: [StoredObjective]) -> Int {
    objectives.reduce(mission.title.utf8.count + mission.brief.utf8.count) {
      $0 + $1.title.utf8.count
    }
  }

  /// Private missions have no invitations: the existing ones are withdrawn.
  private func withdrawInvitations(
    to mission: StoredMission, at time: WireTime, in database: Database
  ) throws {
    try InvitationRecords.revokeAll(to: mission.key, in: database)
    let members = try MissionMemberRecords.all(in: mission.key, from: database)
    // Uses the stored visibility, from which it follows who loses access.
    let stored = try MissionRecords.find(mission.key, in: database) ?? mission
    for member in members.values.sorted(by: { $0.userID < $1.userID })
    where member.state != .joined {
      try MissionReconciler.set(nil, inPlaceOf: member, in: stored, at: time, database: database)
    }
  }

  // MARK: - Closing

  func cancelMission(
    _ call: CancelMission, caller: Caller, in database: Database
  ) throws -> MissionRecord {
    try close(call.missionID, as: .cancelled, caller: caller, in: database)
  }

  func completeMission(
    _ call: CompleteMission, caller: Caller, in database: Database
  ) throws -> MissionRecord {
    try close(call.missionID, as: .completed, caller: caller, in: database)
  }

  func skipOccurrence(
    _ call: SkipOccurrence, caller: Caller, in database: Database
  ) throws -> MissionRecord {
    let time = now()
    var context = try MissionContext(call.missionID, caller: caller, at: time, in: database)
    try context.requireCreator()
    if context.mission.state == .open { try context.requireOpen() }
    try MissionSeriesFunctions.skip(&context.mission, at: time, in: database)
    return try fetch(call.missionID, caller: caller, at: time, in: database)
  }

  private func close(
    _ id: UUID, as state: MissionState, caller: Caller, in database: Database
  ) throws -> MissionRecord {
    let time = now()
    var context = try MissionContext(id, caller: caller, at: time, in: database)
    try context.requireCreator()
    if context.mission.state == state { return try context.record(in: database) }
    try context.requireOpen()
    if state == .completed { try context.requireActive() }
    try MissionReconciler.close(
      &context.mission, as: state, by: caller.userID, at: time, in: database)
    return try fetch(id, caller: caller, at: time, in: database)
  }

  private func fetch(
    _ id: UUID, caller: Caller, at time: WireTime, in database: Database
  ) throws -> MissionRecord {
    try MissionContext(id, caller: caller, at: time, in: database).record(in: database)
  }
}
