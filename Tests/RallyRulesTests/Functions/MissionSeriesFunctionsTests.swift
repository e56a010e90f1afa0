import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

/// A run on Saturdays in Lisbon, from 2026-08-01 12:30 UTC, 13:30 there, for an hour.
@Suite(.everyEngine) struct MissionSeriesFunctionsTests {
  private static let week = Duration.seconds(7 * 86_400)
  private static let first = ServerWorld.noon.advanced(by: .seconds(1800))

  private func run(
    _ repeats: MissionRepeat? = .weekly, until: WireTime? = nil, hours: Double? = 1,
    zone: String? = "Europe/Lisbon", objectives: [ObjectiveInput]? = nil
  ) -> CreateMission {
    var call = CreateMission.sample(
      "Run", startsAt: Self.first,
      endsAt: hours.map { Self.first.advanced(by: .seconds($0 * 3600)) }, visibility: .invited,
      objectives: objectives)
    (call.repeats, call.repeatUntil, call.timeZone) = (repeats, until, zone)
    return call
  }

  /// The server's clock passes a time, and what is due then is done.
  private func pass(_ time: WireTime, in world: ServerWorld) async throws {
    world.now = time
    try await world.turn()
  }

  @Test func `the next occurrence follows when one is over, with everybody and nothing done`()
    async throws
  {
    let world = try await ServerWorld.withFriends(3)
    let mission = try await world.create(run(objectives: [ObjectiveInput(title: "Run", count: 2)]))
    #expect(mission.series?.repeats == .weekly)
    #expect(mission.series?.startsAt == Self.first)
    #expect(mission.series?.nextStartsAt == Self.first.advanced(by: Self.week))
    try await world.invite(1, to: mission.id)
    try await world.invite(2, to: mission.id)
    try await world.join(mission.id, as: 1)
    let code = try await world.result(of: CreateInvitation(missionID: mission.id, uses: 5), as: 1)
    world.now = Self.first.advanced(by: .seconds(600))
    try await world.call(
      CheckIn(
        missionID: mission.id, objectiveID: mission.objectives[0].id, at: .lisbon,
        accuracyMetres: 5), as: 1)
    try await pass(Self.first.advanced(by: .seconds(3599)), in: world)
    #expect(try await world.mission(mission.id, as: 1).startsAt == Self.first)

    try await pass(Self.first.advanced(by: .seconds(3600)), in: world)
    let next = try await world.mission(mission.id, as: 1)
    #expect(next.startsAt == Self.first.advanced(by: Self.week))
    #expect(next.endsAt == next.startsAt.advanced(by: .seconds(3600)))
    #expect(next.phase(at: world.now) == .upcoming)
    #expect(next.objectives.map(\.checkIns) == [0])
    #expect(next.members.map(\.state) == [.joined, .joined, .invited])
    #expect(next.version > mission.version)
    #expect(next.series?.nextStartsAt == next.startsAt.advanced(by: Self.week))
    #expect(try await world.lines(of: mission.id, as: 1) == [.checkedIn, .joined, .created])
    let active = try await world.result(of: FetchMissions(scope: .active), as: 1)
    #expect(active.map(\.id) == [mission.id])
    #expect(try await world.result(of: FetchMissions(scope: .done), as: 1).isEmpty)
    // The invitations are those of the series.
    try await world.join(mission.id, as: 2)
    _ = try await world.result(of: FetchInvitation(code: code.code), as: 2)
    // Found due once more, nothing happens.
    try await world.turn()
    #expect(try await world.mission(mission.id, as: 1).version == next.version)
  }

  @Test func `a completed occurrence stays until its end, then the next one is open`() async throws
  {
    let world = try await ServerWorld.withFriends(2)
    let mission = try await world.create(run())
    world.now = Self.first.advanced(by: .seconds(600))
    try await world.call(CompleteMission(missionID: mission.id), as: 0)
    try await world.turn()
    #expect(try await world.mission(mission.id, as: 0).state == .completed)
    #expect(try await world.result(of: FetchMissions(scope: .done), as: 0).count == 1)
    try await pass(Self.first.advanced(by: .seconds(3600)), in: world)
    let next = try await world.mission(mission.id, as: 0)
    #expect(next.state == .open)
    #expect(next.closedAt == nil)
    #expect(next.startsAt == Self.first.advanced(by: Self.week))
    #expect(try await world.result(of: FetchMissions(scope: .done), as: 0).isEmpty)
  }

  @Test func `after long nobody looked, the one that is not over is the current one`() async throws
  {
    let world = try await ServerWorld.withFriends(1)
    let mission = try await world.create(run())
    let fourth = Self.first.advanced(by: .seconds(4 * 7 * 86_400))
    try await pass(fourth.advanced(by: .seconds(1800)), in: world)
    let now = try await world.mission(mission.id, as: 0)
    #expect(now.startsAt == fourth)
    #expect(now.phase(at: world.now) == .active)
  }

  @Test func `a series keeps its time by the clocks of its zone`() async throws {
    let world = try await ServerWorld.withFriends(1)
    let mission = try await world.create(run())
    // Portugal ended summer time on 2026-10-25.
    try await pass(try #require(WireTime("2026-10-24T13:30:00Z")), in: world)
    let next = try await world.mission(mission.id, as: 0)
    #expect(next.startsAt == WireTime("2026-10-31T13:30:00Z"))
    #expect(next.endsAt == WireTime("2026-10-31T14:30:00Z"))
  }

  @Test func `the last occurrence ends as a mission does`() async throws {
    let world = try await ServerWorld.withFriends(1)
    let second = Self.first.advanced(by: Self.week)
    let mission = try await world.create(run(until: second))
    try await pass(second, in: world)
    let last = try await world.mission(mission.id, as: 0)
    #expect(last.startsAt == second)
    #expect(last.series?.nextStartsAt == nil)
    try await pass(second.advanced(by: .seconds(3600)), in: world)
    #expect(try await world.mission(mission.id, as: 0) == last)
    #expect(try await world.result(of: FetchMissions(scope: .done), as: 0).map(\.id) == [last.id])
  }

  @Test func `an occurrence that is left out is remembered, and the next one follows`() async throws
  {
    let world = try await ServerWorld.withFriends(2)
    let mission = try await world.create(run(until: Self.first.advanced(by: Self.week)))
    try await world.invite(1, to: mission.id)
    try await world.join(mission.id, as: 1)
    let refusal = try await world.refusal(of: SkipOccurrence(missionID: mission.id), as: 1)
    #expect(refusal == "not_creator")
    let next = try await world.result(of: SkipOccurrence(missionID: mission.id), as: 0)
    #expect(next.startsAt == Self.first.advanced(by: Self.week))
    #expect(next.series?.skipped == [Self.first])
    #expect(
      try await world.refusal(of: SkipOccurrence(missionID: mission.id), as: 0)
        == "invalid_argument")
  }

  @Test func `with an occurrence the ways to it end, and who arrived is to come again`()
    async throws
  {
    let world = try await ServerWorld.withFriends(3)
    let mission = try await world.create(run())
    for guest in [1, 2] {
      try await world.invite(guest, to: mission.id)
      try await world.join(mission.id, as: guest)
      try await world.call(
        BeginOnMyWay(missionID: mission.id, userIDs: world.members.map(\.id)), as: guest)
      let place = guest == 1 ? Coordinate.downtown : .lisbon
      try await world.call(
        PublishLocations(locations: [.sample(place, at: world.now)]), as: guest)
    }
    let coming = FetchComing(missionID: mission.id)
    #expect(try await world.result(of: coming, as: 0).count { $0.arrivedAt != nil } == 1)
    #expect(try await world.result(of: FetchFriendLocations(), as: 0).count == 1)
    try await world.call(SkipOccurrence(missionID: mission.id), as: 0)
    #expect(try await world.result(of: coming, as: 0).isEmpty)
    #expect(try await world.result(of: FetchFriendLocations(), as: 0).isEmpty)
    #expect(try await world.stored(of: 1) == nil)
  }

  @Test func `a cancelled series does not come again, and who left stays away`() async throws {
    let world = try await ServerWorld.withFriends(2)
    let left = try await world.create(run())
    try await world.invite(1, to: left.id)
    try await world.join(left.id, as: 1)
    try await world.call(LeaveMission(missionID: left.id), as: 1)
    let cancelled = try await world.create(run())
    try await world.call(CancelMission(missionID: cancelled.id), as: 0)
    try await pass(Self.first.advanced(by: .seconds(3600)), in: world)
    #expect(try await world.mission(cancelled.id, as: 0).state == .cancelled)
    #expect(try await world.mission(cancelled.id, as: 0).startsAt == Self.first)
    #expect(try await world.mission(left.id, as: 1).myState == .left)
    #expect(try await world.result(of: FetchMissions(scope: .active), as: 1).isEmpty)
  }

  @Test func `a change of the start moves the series, of the words it does not`() async throws {
    let world = try await ServerWorld.withFriends(1)
    let mission = try await world.create(run())
    try await world.call(SkipOccurrence(missionID: mission.id), as: 0)
    var call = UpdateMission(missionID: mission.id)
    call.title = "Slow run"
    let named = try await world.result(of: call, as: 0)
    #expect(named.series?.skipped == [Self.first])
    #expect(named.series?.startsAt == Self.first)
    call = UpdateMission(missionID: mission.id)
    let later = named.startsAt.advanced(by: .seconds(86_400))
    call.startsAt = later
    call.endsAt = .set(later.advanced(by: .seconds(3600)))
    call.repeats = .set(.fortnightly)
    let moved = try await world.result(of: call, as: 0)
    #expect(moved.series?.startsAt == later)
    #expect(moved.series?.skipped == [])
    #expect(moved.series?.timeZone == "Europe/Lisbon")
    #expect(moved.series?.nextStartsAt == later.advanced(by: .seconds(14 * 86_400)))
    call = UpdateMission(missionID: mission.id)
    call.repeats = .clear
    #expect(try await world.result(of: call, as: 0).series == nil)
  }

  /// On the 31st of each month, 13:30 in Lisbon; the one of 30 September is the current one.
  private func monthly(in world: ServerWorld) async throws -> MissionRecord {
    let start = try #require(WireTime("2026-09-30T12:30:00Z"))
    var call = run(.monthly)
    (call.startsAt, call.endsAt, call.monthDay) = (start, start.advanced(by: .seconds(3600)), 31)
    return try await world.create(call)
  }

  @Test func `a series that is made where its month is shorter keeps its day`() async throws {
    let world = try await ServerWorld.withFriends(1)
    let mission = try await monthly(in: world)
    #expect(mission.series?.nextStartsAt == WireTime("2026-10-31T13:30:00Z"))
    try await pass(mission.startsAt.advanced(by: .seconds(3600)), in: world)
    #expect(
      try await world.mission(mission.id, as: 0).startsAt == WireTime("2026-10-31T13:30:00Z"))
    let skipped = try await world.result(of: SkipOccurrence(missionID: mission.id), as: 0)
    #expect(skipped.startsAt == WireTime("2026-11-30T13:30:00Z"))
    #expect(skipped.series?.nextStartsAt == WireTime("2026-12-31T13:30:00Z"))
  }

  @Test func `an edit keeps the day of a series unless the occurrence moves to another`()
    async throws
  {
    let world = try await ServerWorld.withFriends(1)
    let mission = try await monthly(in: world)
    func moved(by seconds: Int64, _ repeats: MissionRepeat? = nil) async throws -> WireTime? {
      let start = mission.startsAt.advanced(by: .seconds(seconds))
      var call = UpdateMission(missionID: mission.id)
      call.startsAt = start
      call.endsAt = .set(start.advanced(by: .seconds(3600)))
      if let repeats { call.repeats = .set(repeats) }
      return try await world.result(of: call, as: 0).series?.nextStartsAt
    }
    #expect(try await moved(by: 3600) == WireTime("2026-10-31T14:30:00Z"))
    #expect(try await moved(by: 0, .monthly) == WireTime("2026-10-31T13:30:00Z"))
    #expect(try await moved(by: -86_400) == WireTime("2026-10-29T13:30:00Z"))
    #expect(try await moved(by: -86_400, .weekly) == WireTime("2026-10-06T12:30:00Z"))
  }

  @Test func `what cannot repeat is refused with what to write instead`() async throws {
    let world = try await ServerWorld.withFriends(1)
    var elsewhere = run(.monthly)
    elsewhere.monthDay = 31
    var earlier = run(.daily)
    earlier.timeOfDay = ClockTime("12:30")
    let refused: [(String, CreateMission)] = [
      ("those of p_starts_at", elsewhere), ("those of p_starts_at", earlier),
      ("needs an end", run(hours: nil)), ("at most 23 hours", run(.daily, hours: 23.5)),
      ("6 days and 23 hours", run(hours: 24 * 7)), ("p_time_zone", run(zone: "Europe/Nowhere")),
      ("p_time_zone", run(zone: "../../etc/passwd")),
      ("before the mission starts", run(until: Self.first.advanced(by: .seconds(-1)))),
      ("ten years", run(until: Self.first.advanced(by: .seconds(3661 * 86_400)))),
      ("that repeats has an end of", run(nil, until: Self.first)),
    ]
    for (words, call) in refused {
      let answer = try await world.call(call, as: 0)
      let failure = try WireJSON.decode(FunctionFailure.self, from: Data(answer.utf8))
      #expect(failure.reason == .invalidArgument)
      #expect(failure.message.contains(words), "\(failure.message)")
    }
  }

  @Test func `members hear of the next occurrence, and nobody else does`() async throws {
    let world = try await ServerWorld.withFriends(3)
    let mission = try await world.create(run())
    try await world.invite(1, to: mission.id)
    try await world.join(mission.id, as: 1)
    try await world.turn()
    for member in 0...2 { _ = await world.frames(for: member) }
    try await pass(Self.first.advanced(by: .seconds(3600)), in: world)
    let frames = await world.frames(for: 1).filter { $0.contains("postgres_changes") }
    #expect(frames.count == 1)
    #expect(frames.first?.contains("2026-08-08T12:30:00") == true)
    #expect(await world.frames(for: 2).filter { $0.contains("postgres_changes") }.isEmpty)
  }
}
