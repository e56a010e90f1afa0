import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules

/// Random people who befriend, part, block, invite, join, leave and wait, against a simple model of
/// who is in what and who may see it.
@Suite(.everyEngine) struct MissionModelTests {
  private static let people = 5

  private struct Membership: Hashable {
    var state: MissionMembership
    var bringer: Int
  }

  private struct Mission {
    var id: UUID
    var creator: Int
    var visibility: MissionVisibility
    var state = MissionState.open
    var endsAt: WireTime?
    var capacity: Int?
    var rows: [Int: Membership] = [:]

    func isOpen(at time: WireTime) -> Bool { state == .open && endsAt.map { time < $0 } ?? true }

    var joined: Set<Int> { Set(rows.filter { $0.value.state == .joined }.keys) }
  }

  /// What the rules say, as simply as they can be said.
  private struct Model {
    var friends: Set<Set<Int>> = []
    var blocks: Set<[Int]> = []
    var missions: [Mission] = []

    func areStrange(_ a: Int, _ b: Int) -> Bool {
      blocks.contains([a, b]) || blocks.contains([b, a])
    }

    func canSee(_ mission: Mission, _ reader: Int, at time: WireTime) -> Bool {
      let state = mission.rows[reader]?.state
      if state == .joined { return true }
      if areStrange(reader, mission.creator) || mission.visibility == .private { return false }
      if mission.visibility == .friends, friends.contains([reader, mission.creator]) {
        return true
      }
      return state == .invited || (state == .left && mission.isOpen(at: time))
    }

    func members(of mission: Mission, for reader: Int) -> Set<Int> {
      let isIn = mission.rows[reader]?.state == .joined
      return Set(
        mission.rows.filter { user, row in
          switch row.state {
          case .joined: user == reader || !areStrange(user, reader)
          case .invited: user == reader || (isIn && !areStrange(user, reader))
          case .left: false
          }
        }.keys)
    }

    mutating func part(_ a: Int, _ b: Int) {
      friends.remove([a, b])
      for index in missions.indices {
        for (user, other) in [(a, b), (b, a)] {
          guard let row = missions[index].rows[user], row.state != .joined, row.bringer == other
          else { continue }
          missions[index].rows[user] = nil
        }
      }
    }

    mutating func join(_ index: Int, _ user: Int, broughtBy bringer: Int, at time: WireTime) {
      let mission = missions[index]
      guard mission.rows[user]?.state != .joined, mission.isOpen(at: time),
        mission.capacity.map({ mission.joined.count < $0 }) ?? true
      else { return }
      missions[index].rows[user] = Membership(state: .joined, bringer: bringer)
    }
  }

  // MARK: - Steps

  private static func step(
    _ world: ServerWorld, _ model: inout Model, using numbers: inout SeededGenerator
  ) async throws {
    let a = Int.random(in: 0..<people, using: &numbers)
    let b = (a + Int.random(in: 1..<people, using: &numbers)) % people
    let (other, now) = (world.members[b].id, world.now)
    let choice = Int.random(in: 0..<100, using: &numbers)
    if model.missions.count < 3 || (choice < 4 && model.missions.count < 7) {
      return try await create(world, &model, by: a, using: &numbers)
    }
    let index = Int.random(in: model.missions.indices, using: &numbers)
    let mission = model.missions[index]
    let sees = model.canSee(mission, a, at: now)
    switch choice {
    case 0..<16:
      try await world.befriend(a, b)
      if !model.areStrange(a, b) { model.friends.insert([a, b]) }
    case 16..<19:
      try await world.call(RemoveFriend(userID: other), as: a)
      if model.friends.contains([a, b]) { model.part(a, b) }
    case 19..<23:
      try await world.block(b, by: a)
      if !model.blocks.contains([b, a]) {
        model.blocks.insert([a, b])
        model.part(a, b)
      }
    case 23..<32:
      try await world.call(UnblockUser(userID: other), as: a)
      model.blocks.remove([a, b])
    case 32..<55:
      try await world.call(JoinMission(missionID: mission.id), as: a)
      if sees {
        model.join(
          index, a, broughtBy: mission.rows[a]?.bringer ?? mission.creator, at: now)
      }
    case 55..<63:
      try await world.call(LeaveMission(missionID: mission.id), as: a)
      if sees, a != mission.creator, mission.rows[a] != nil {
        model.missions[index].rows[a]?.state = .left
      }
    case 63..<78:
      try await world.invite(b, to: mission.id, as: a)
      if mission.rows[a]?.state == .joined, mission.visibility != .private, mission.isOpen(at: now),
        model.friends.contains([a, b]), mission.rows[b].map({ $0.state == .left }) ?? true
      {
        model.missions[index].rows[b] = Membership(state: .invited, bringer: a)
      }
    case 78..<85:
      try await useCode(world, &model, of: index, by: a, for: b)
    case 85..<92:
      try await showToOthers(world, &model, index, by: a, using: &numbers)
    case 92..<94:
      try await world.call(CompleteMission(missionID: mission.id), as: a)
      if a == mission.creator, mission.isOpen(at: now) { model.missions[index].state = .completed }
    case 94..<95:
      try await world.call(CancelMission(missionID: mission.id), as: a)
      if a == mission.creator, mission.isOpen(at: now) { model.missions[index].state = .cancelled }
    default: world.wait(seconds: Int64.random(in: 1...2000, using: &numbers))
    }
  }

  /// Changes who may know of a mission.
  private static func showToOthers(
    _ world: ServerWorld, _ model: inout Model, _ index: Int, by a: Int,
    using numbers: inout SeededGenerator
  ) async throws {
    let mission = model.missions[index]
    var update = UpdateMission(missionID: mission.id)
    let choices = [MissionVisibility.private, .invited, .invited, .friends, .friends]
    let visibility = choices.randomElement(using: &numbers)
    update.visibility = visibility
    try await world.call(update, as: a)
    guard a == mission.creator, mission.isOpen(at: world.now), let visibility else { return }
    model.missions[index].visibility = visibility
    if visibility == .private, mission.visibility != .private {
      model.missions[index].rows = mission.rows.filter { $0.value.state == .joined }
    }
  }

  private static func create(
    _ world: ServerWorld, _ model: inout Model, by a: Int, using numbers: inout SeededGenerator
  ) async throws {
    let endsAt =
      Int.random(in: 0..<3, using: &numbers) == 0
      ? world.now.advanced(by: .seconds(Int64.random(in: 1000...9000, using: &numbers))) : nil
    let capacity =
      Int.random(in: 0..<3, using: &numbers) == 0 ? Int.random(in: 1...3, using: &numbers) : nil
    let visibility =
      [MissionVisibility.invited, .friends, .friends].randomElement(using: &numbers) ?? .friends
    let record = try await world.create(
      .sample(endsAt: endsAt, capacity: capacity, visibility: visibility), as: a)
    model.missions.append(
      Mission(
        id: record.id, creator: a, visibility: visibility, endsAt: endsAt, capacity: capacity,
        rows: [a: Membership(state: .joined, bringer: a)]))
  }

  private static func useCode(
    _ world: ServerWorld, _ model: inout Model, of index: Int, by a: Int, for b: Int
  ) async throws {
    let mission = model.missions[index]
    let answer = try await world.call(CreateInvitation(missionID: mission.id), as: a)
    let made = try? WireJSON.decode(InvitationRecord.self, from: Data(answer.utf8))
    let canMake =
      mission.rows[a]?.state == .joined && mission.visibility != .private
      && mission.isOpen(at: world.now)
    #expect((made != nil) == canMake)
    guard let made else { return }
    try await world.call(AcceptInvitation(code: made.code), as: b)
    if !model.areStrange(a, b), !model.areStrange(b, mission.creator) {
      model.join(index, b, broughtBy: a, at: world.now)
    }
    try await world.call(RevokeInvitation(code: made.code), as: a)
  }

  // MARK: - Checks

  private static func check(
    _ reader: Int, in world: ServerWorld, _ model: Model, known: Set<UUID>
  ) async throws {
    let now = world.now
    var lists: [MissionScope: Set<UUID>] = [:]
    for mission in model.missions {
      let answer = try await world.call(FetchMission(missionID: mission.id), as: reader)
      let record = try? WireJSON.decode(MissionRecord.self, from: Data(answer.utf8))
      let sees = model.canSee(mission, reader, at: now)
      #expect((record != nil) == sees, "\(reader) \(mission)")
      let isOpen = mission.isOpen(at: now)
      // Whoever only listened knows which open missions there are.
      if isOpen { #expect(known.contains(mission.id) == sees, "\(reader) \(mission)") }
      let state = mission.rows[reader]?.state
      if sees, isOpen { lists[.nearby, default: []].insert(mission.id) }
      if sees, isOpen, state == .joined || state == .invited {
        lists[.active, default: []].insert(mission.id)
      }
      if !isOpen, state == .joined { lists[.done, default: []].insert(mission.id) }
      let lines = try await world.call(
        FetchMissionActivity(missionID: mission.id, limit: 1), as: reader)
      #expect(lines.hasPrefix("[") == (state == .joined))
      guard let record else { continue }
      #expect(record.myState == state)
      #expect(record.memberCount == record.members.count { $0.state == .joined })
      #expect(record.isFull == (mission.capacity.map { mission.joined.count >= $0 } ?? false))
      #expect((record.creatorID == nil) == model.areStrange(reader, mission.creator))
      #expect(
        Set(record.members.map(\.userID))
          == Set(model.members(of: mission, for: reader).map { world.members[$0].id }))
      if let capacity = mission.capacity { #expect(record.memberCount <= capacity) }
    }
    for scope in MissionScope.allCases {
      let found = try await world.result(
        of: FetchMissions(scope: scope, around: .lisbon), as: reader)
      #expect(Set(found.map(\.id)) == lists[scope] ?? [], "\(reader) \(scope)")
      #expect(Set(found.map(\.id)).count == found.count)
    }
  }

  /// Takes in what was told of missions; an update of an open one is of what is known already.
  private static func receive(
    _ frames: [String], open: Set<UUID>, _ known: inout Set<UUID>
  ) throws {
    for frame in frames {
      let json = try WireJSON.decode(JSONValue.self, from: Data(frame.utf8))
      let event = try #require(json["payload"]?["data"]).decoded(as: ChangeEvent.self)
      guard event.table == MissionRecord.table else { continue }
      let key = (event.record ?? event.oldRecord)?["id"]?.string
      let id = try #require(key.flatMap(UUID.init(uuidString:)))
      switch event.type {
      case .insert: known.insert(id)
      case .update:
        #expect(known.contains(id) || !open.contains(id), "an UPDATE of what was never seen")
      case .delete: known.remove(id)
      }
    }
  }

  @Test(arguments: [31, 32, 33] as [UInt64])
  func `nobody ever is in, sees or hears of more or less than the rules say`(
    _ seed: UInt64
  ) async throws {
    var numbers = SeededGenerator(seed: seed)
    let world = try await ServerWorld(
      members: Self.people, at: ServerWorld.noon, tables: ServerWorld.missionTables)
    var model = Model()
    var states: Set<MissionMembership> = []
    var known = Array(repeating: Set<UUID>(), count: Self.people)
    for a in 0..<Self.people {
      for b in 0..<a where (a + b) % 3 > 0 {
        try await world.befriend(a, b)
        model.friends.insert([a, b])
      }
    }
    for _ in 0..<60 {
      for _ in 0..<Int.random(in: 2...6, using: &numbers) {
        try await Self.step(world, &model, using: &numbers)
      }
      try await world.turn()
      let open = Set(model.missions.filter { $0.isOpen(at: world.now) }.map(\.id))
      states.formUnion(model.missions.flatMap(\.rows.values).map(\.state))
      for reader in 0..<Self.people {
        try Self.receive(await world.frames(for: reader), open: open, &known[reader])
        try await Self.check(reader, in: world, model, known: known[reader])
      }
    }
    // The walk came by everything that is worth checking.
    #expect(states.count == 3 || !SeededGenerator.isUsual)
  }
}
