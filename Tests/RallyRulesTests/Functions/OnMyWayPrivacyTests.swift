import Foundation
import RallyStorage
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

/// Random people on the way to missions that come and go, against a model of who may see what. The
/// last of them is never in a mission.
@Suite(.everyEngine) struct OnMyWayPrivacyTests {
  private static let people = 5
  private static let outsider = 4
  private static let start = WireTime("2026-08-01T12:00:00Z")!

  private struct Way {
    var readers: Set<Int>
    var until: WireTime
  }

  /// What the rules say, as simply as they can be said.
  private struct Model {
    var friends: Set<Set<Int>> = []
    var blocks: Set<[Int]> = []
    var decisions: [[Int]: Sharing] = [:]
    var mission = UUID()
    var members: Set<Int> = []
    var endsAt: WireTime?
    var isOpen = false
    var ways: [Int: Way] = [:]
    var ghosts: Set<Int> = []

    func isHidden(_ a: Int, _ b: Int) -> Bool {
      blocks.contains([a, b]) || blocks.contains([b, a])
    }

    func isShown(_ owner: Int, to reader: Int, at time: WireTime) -> Bool {
      ways[owner].map { $0.readers.contains(reader) && $0.until > time } ?? false
    }

    func mode(of owner: Int, for reader: Int, at time: WireTime) -> SharingMode {
      if ghosts.contains(owner) { return .off }
      if isShown(owner, to: reader, at: time) { return .precise }
      guard friends.contains([owner, reader]) else { return .off }
      for key in [[owner, reader], [owner, owner]] {
        if let sharing = decisions[key], sharing.holds(at: time) { return sharing.mode }
      }
      return .off
    }

    mutating func part(_ a: Int, _ b: Int) {
      friends.remove([a, b])
      (decisions[[a, b]], decisions[[b, a]]) = (nil, nil)
    }

    mutating func leave(_ person: Int) {
      members.remove(person)
      ways[person] = nil
      for owner in ways.keys { ways[owner]?.readers.remove(person) }
    }
  }

  // MARK: - Steps

  private static func join(_ person: Int, _ model: inout Model, in world: ServerWorld) async throws
  {
    let (mission, time) = (model.mission.wireText, world.now)
    let id = world.members[person].caller.userID
    try await world.storage.write { database in
      let stored = try #require(try MissionRecords.find(mission, in: database))
      let old = try MissionMemberRecords.find(id, in: mission, from: database)
      let member = StoredMember(userID: id, state: .joined, broughtBy: id, joinedAt: time)
      try MissionReconciler.set(member, inPlaceOf: old, in: stored, at: time, database: database)
    }
    model.members.insert(person)
  }

  private static func renew(_ model: inout Model, in world: ServerWorld) async throws {
    if let endsAt = model.endsAt, endsAt <= world.now { model.isOpen = false }
    guard !model.isOpen else { return }
    model.mission = try await world.create(.sample(visibility: .invited)).id
    (model.isOpen, model.endsAt, model.members, model.ways) = (true, nil, [0], [:])
    for person in 1..<outsider { try await join(person, &model, in: world) }
  }

  /// Calls, and sometimes again with the same client id, which changes nothing.
  private static func call(
    _ function: some RemoteFunction, clientID: UUID, as member: Int, in world: ServerWorld,
    using numbers: inout SeededGenerator
  ) async throws {
    let call = FunctionCall(function, clientID: clientID)
    let answer = try await world.call(call, as: member)
    guard Int.random(in: 0...3, using: &numbers) == 0 else { return }
    #expect(try await world.call(call, as: member) == answer)
  }

  /// Reports a position, which may be at the mission's place: then the way is over.
  private static func publish(
    _ a: Int, clientID: UUID, _ model: inout Model, in world: ServerWorld,
    using numbers: inout SeededGenerator
  ) async throws {
    let isInside = Int.random(in: 0...4, using: &numbers) == 0
    let place =
      isInside ? .lisbon : Coordinate.at(38.5 + .random(in: 0...0.2, using: &numbers), -9)
    try await call(
      PublishLocations(locations: [.sample(place, at: world.now)]), clientID: clientID, as: a,
      in: world, using: &numbers)
    if isInside { model.ways[a] = nil }
  }

  private static func endMission(
    at end: WireTime, _ model: inout Model, in world: ServerWorld
  ) async throws {
    var update = UpdateMission(missionID: model.mission)
    update.endsAt = .set(end)
    try await world.call(update, as: 0)
    model.endsAt = end
    model.ways = model.ways.mapValues { Way(readers: $0.readers, until: min($0.until, end)) }
  }

  private static func share(
    of a: Int, with b: Int, _ model: inout Model, in world: ServerWorld,
    using numbers: inout SeededGenerator
  ) async throws {
    let mode = SharingMode.allCases[Int.random(in: 0...3, using: &numbers)]
    let until =
      Bool.random(using: &numbers)
      ? world.now.advanced(by: .seconds(Int64.random(in: 1...9000, using: &numbers))) : nil
    let friend = Bool.random(using: &numbers) ? nil : b
    try await world.share(mode, of: a, with: friend, until: until)
    // A ghost's share that does not say what becomes of the ghost is refused.
    if mode > .off, model.ghosts.contains(a) { return }
    if friend == nil || model.friends.contains([a, b]) {
      model.decisions[[a, friend ?? a]] = Sharing(mode: mode, until: until)
    }
  }

  /// Goes on the way, seen by some.
  private static func begin(
    _ a: Int, clientID: UUID, _ model: inout Model, in world: ServerWorld,
    using numbers: inout SeededGenerator
  ) async throws {
    let named = (0..<people).filter { _ in Int.random(in: 0...3, using: &numbers) > 0 }
    let begin = BeginOnMyWay(
      missionID: model.mission, userIDs: named.map { world.members[$0].id })
    try await call(begin, clientID: clientID, as: a, in: world, using: &numbers)
    let readers = model.members.intersection(named).subtracting([a])
      .filter { !model.isHidden(a, $0) }
    guard model.members.contains(a), !readers.isEmpty, !model.ghosts.contains(a) else { return }
    let latest = world.now.advanced(by: .seconds(4 * 3600))
    model.ways[a] = Way(
      readers: readers, until: model.endsAt.map { min($0, latest) } ?? latest)
  }

  /// Ends the way, or becomes a ghost or visible again.
  private static func vanish(
    _ a: Int, clientID: UUID, _ model: inout Model, in world: ServerWorld,
    using numbers: inout SeededGenerator
  ) async throws {
    if Bool.random(using: &numbers) {
      try await call(EndOnMyWay(), clientID: clientID, as: a, in: world, using: &numbers)
      model.ways[a] = nil
      return
    }
    // Ghosts come back more often than they go, so that most people are seen.
    let isGhost = !model.ghosts.contains(a) && Bool.random(using: &numbers)
    try await call(
      SetGhost(isGhost: isGhost), clientID: clientID, as: a, in: world, using: &numbers)
    if isGhost {
      model.ghosts.insert(a)
      model.ways[a] = nil
    } else {
      model.ghosts.remove(a)
    }
  }

  /// Does one random thing in the world and in the model.
  ///
  /// - Returns: Who reported where they are.
  private static func step(
    _ world: ServerWorld, _ model: inout Model, using numbers: inout SeededGenerator
  ) async throws -> Int? {
    try await renew(&model, in: world)
    let a = Int.random(in: 0..<people, using: &numbers)
    let b = (a + Int.random(in: 1..<people, using: &numbers)) % people
    let (other, now, id) = (world.members[b].id, world.now, UUID())
    switch Int.random(in: 0..<40, using: &numbers) {
    case 0..<12:
      try await publish(a, clientID: id, &model, in: world, using: &numbers)
      return a
    case 12..<16:
      try await share(of: a, with: b, &model, in: world, using: &numbers)
    case 16, 17:
      try await world.befriend(a, b)
      if !model.isHidden(a, b) { model.friends.insert([a, b]) }
    case 18:
      try await world.call(RemoveFriend(userID: other), as: a)
      model.part(a, b)
    case 19:
      try await call(BlockUser(userID: other), clientID: id, as: a, in: world, using: &numbers)
      if !model.blocks.contains([b, a]) {
        model.blocks.insert([a, b])
        model.part(a, b)
        model.ways[a]?.readers.remove(b)
        model.ways[b]?.readers.remove(a)
      }
    case 20, 21:
      try await world.call(UnblockUser(userID: other), as: a)
      model.blocks.remove([a, b])
    case 22, 23:
      guard a != 0, a != outsider else { return nil }
      try await call(
        LeaveMission(missionID: model.mission), clientID: id, as: a, in: world, using: &numbers)
      model.leave(a)
    case 24, 25:
      guard a != outsider, !model.members.contains(a) else { return nil }
      try await join(a, &model, in: world)
    case 26..<33:
      try await begin(a, clientID: id, &model, in: world, using: &numbers)
    case 33, 34:
      try await vanish(a, clientID: id, &model, in: world, using: &numbers)
    case 35:
      if Bool.random(using: &numbers) {
        let cancel = CancelMission(missionID: model.mission)
        try await call(cancel, clientID: id, as: 0, in: world, using: &numbers)
      } else {
        let complete = CompleteMission(missionID: model.mission)
        try await call(complete, clientID: id, as: 0, in: world, using: &numbers)
      }
      (model.isOpen, model.ways) = (false, [:])
    case 36:
      let end = now.advanced(by: .seconds(Int64.random(in: 600...20_000, using: &numbers)))
      try await endMission(at: end, &model, in: world)
    default:
      world.now = now.advanced(by: .seconds(Int64.random(in: 1...5000, using: &numbers)))
      if let endsAt = model.endsAt, endsAt <= world.now {
        (model.isOpen, model.ways) = (false, [:])
      }
    }
    return nil
  }

  // MARK: - Checks

  /// What a reader fetches, checked against the model.
  ///
  /// - Parameter reported: Who has just reported a precise position.
  private static func check(
    rowsOf reader: Int, reported: Int?, in world: ServerWorld, _ model: Model
  ) async throws -> [LocationRecord] {
    let rows = try await world.result(of: FetchFriendLocations(), as: reader)
    for owner in 0..<people where owner != reader {
      let mode = model.mode(of: owner, for: reader, at: world.now)
      let row = rows.first { $0.userID == world.members[owner].id }
      #expect(row?.precision ?? .off <= mode, "\(reader) must not see \(owner)")
      if owner == reported { #expect(row?.precision ?? .off == mode, "\(reader) sees \(owner)") }
    }
    let coming = try await world.result(of: FetchComing(), as: reader)
    let shown = (0..<people).filter { owner in
      owner == reader
        ? model.ways[owner].map { $0.until > world.now } ?? false
        : model.isShown(owner, to: reader, at: world.now)
    }
    let isUnderway = coming.filter { $0.arrivedAt == nil }
    #expect(Set(isUnderway.map(\.userID)) == Set(shown.map { world.members[$0].id }))
    for row in isUnderway where row.userID != world.members[reader].id {
      #expect(row.location == rows.first { $0.userID == row.userID })
    }
    return rows
  }

  @Test(arguments: [41, 42, 43, 44] as [UInt64])
  func `nobody sees anything after the end, and nobody less than by the own setting`(
    _ seed: UInt64
  ) async throws {
    var numbers = SeededGenerator(seed: seed)
    let world = try await ServerWorld(members: Self.people, at: Self.start)
    await world.listen(Self.outsider, to: ServerWorld.missionTables)
    try await world.turn()
    _ = await world.frames(for: Self.outsider)
    var model = Model()
    for a in 0..<Self.people {
      for b in 0..<a where Bool.random(using: &numbers) {
        try await world.befriend(a, b)
        model.friends.insert([a, b])
      }
    }
    var listeners = Array(repeating: PositionListener(), count: Self.people)
    var ways = 0
    for _ in 0..<125 {
      let reported = try await Self.step(world, &model, using: &numbers)
      var fetched: [[LocationRecord]] = []
      // Before the feed has looked at the clock, rows already go by it.
      for reader in 0..<Self.people {
        fetched.append(
          try await Self.check(rowsOf: reader, reported: reported, in: world, model))
      }
      try await world.turn()
      for person in 0..<Self.people {
        for frame in await world.frames(for: person) {
          // The outsider hears of no mission: an event of one is no position.
          try listeners[person].hear(frame)
        }
        let own = world.members[person].id
        let heard = listeners[person].rows.values.filter { $0.userID != own }
          .sorted { $0.userID.wireText < $1.userID.wireText }
        #expect(heard == fetched[person])
        let limit =
          (0..<Self.people).filter { $0 != person }
          .map { model.mode(of: person, for: $0, at: world.now) }.max() ?? .off
        #expect(try await world.stored(of: person)?.precision ?? .off <= limit)
      }
      ways += model.ways.count
    }
    #expect(ways > 50 || !SeededGenerator.isUsual)
  }
}
