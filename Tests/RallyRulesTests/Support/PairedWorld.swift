import Foundation
import RallyGate
import RallyStorage
import RallyTestSupport
import RallyWire

@testable import RallyRules

/// One of two servers on which the same visible changes happen and different hidden ones, as seen by
/// one reader. Every step takes one minute; hidden changes happen at times within it that differ
/// between the two.
struct PairedWorld {
  /// Who is who. The walker shares coarsely with the reader and precisely with the confidant; the
  /// ghost shares with the confidant only; the blocker blocked the reader, and the reader the blocked.
  enum Role: Int, CaseIterable {
    case walker, reader, confidant, acquaintance, blocker, blocked, ghost
  }

  /// What happens in both worlds.
  enum Step {
    case walk(GridCell)
    case share(SharingMode, with: Role?, until: WireTime?)
    case befriend(Role), part(Role), block(Role), unblock(Role)
    case say(Role), join(Role), leave(Role), rename
    /// A check-in of somebody whom the reader does not know of, whoever that is.
    case progress(objective: Int)
    case wait(quarters: Int64)
  }

  static let start = WireTime("2026-08-01T12:00:00Z")!
  private static let objectives = 6

  let world: ServerWorld
  let mission: MissionRecord
  private(set) var begin: WireTime
  private var numbers: SeededGenerator

  /// - Parameters:
  ///   - script: What will happen in both worlds.
  ///   - filters: Of bindings with which the reader listens to positions.
  init(_ script: [Step], seed: UInt64, filters: [String] = []) async throws {
    numbers = SeededGenerator(seed: seed)
    let world = try await ServerWorld(
      members: Role.allCases.count, at: Self.start,
      tables: ["friendships", "location_asks"] + ServerWorld.missionTables, moveDelay: Self.delay)
    self.world = world
    for role in [Role.reader, .confidant] {
      await world.listen(role.rawValue, to: ["locations"], filters: filters)
    }
    let counts = script.reduce(into: Array(repeating: 0, count: Self.objectives)) { counts, step in
      if case .progress(let objective) = step { counts[objective] += 1 }
    }
    // One thing at a time, so that nothing is sorted by an id that chance gave it.
    func befriend(_ a: Role, _ b: Role) async throws {
      world.wait(seconds: 1)
      try await world.befriend(a.rawValue, b.rawValue)
    }
    for role in Role.allCases where role != .walker { try await befriend(.walker, role) }
    try await befriend(.reader, .ghost)
    try await befriend(.confidant, .ghost)
    for role in [Role.walker, .ghost] {
      try await world.share(.precise, of: role.rawValue, with: Role.confidant.rawValue)
    }
    mission = try await world.create(
      .sample(
        objectives: counts.enumerated().map {
          ObjectiveInput(title: "Door \($0)", count: max(1, $1))
        }), as: Role.walker.rawValue)
    for role in [Role.reader, .confidant, .blocker, .blocked] {
      world.wait(seconds: 1)
      try await world.join(mission.id, as: role.rawValue)
    }
    world.wait(seconds: 1)
    try await world.block(Role.reader.rawValue, by: Role.blocker.rawValue)
    try await world.block(Role.blocked.rawValue, by: Role.reader.rawValue)
    begin = Self.start.advanced(by: .seconds(60))
    world.now = begin
    try await world.turn()
    for member in world.members.indices { _ = await world.frames(for: member) }
  }

  /// As long as chance says, but the same in both worlds: what a move's moment is within its minute
  /// decides nothing that anybody may learn. Half a second after a full minute, when nothing else
  /// happens, so that in both the same reports come before it.
  private static let delay = MoveDelay { move, _ in
    let level = move.level
    let minute = move.time.microseconds / 60_000_000
    var numbers = SeededGenerator(seed: UInt64(minute) &* 2 &+ (level == .oneKilometre ? 0 : 1))
    let longest = Int64(level.longestDelay / .seconds(60))
    let minutes = 1 + Int64.random(in: 0..<longest, using: &numbers)
    return WireTime(microseconds: (minute + minutes) * 60_000_000 + 500_000)
  }

  // MARK: - Steps

  /// - Parameter level: What the reader may see of the walker at most.
  static func script(
    _ count: Int, level: GridLevel, using numbers: inout SeededGenerator
  ) -> [Step] {
    let modes: [SharingMode] =
      level == .oneKilometre
      ? [.off, .approximate10km, .approximate1km] : [.off, .approximate10km]
    let origin = GridCell(containing: .lisbon, level: level)
    var steps: [Step] = [.share(modes[modes.count - 1], with: nil, until: nil), .walk(origin)]
    var time = start
    var objective = 0
    while steps.count < count {
      time = time.advanced(by: .seconds(60))
      let cell =
        GridCell(
          level: level, row: origin.row + .random(in: -2...2, using: &numbers),
          column: origin.column + .random(in: -2...2, using: &numbers)) ?? origin
      let until =
        Bool.random(using: &numbers)
        ? nil
        : time.quarterHour.advanced(by: .seconds(900 * Int64.random(in: 1...4, using: &numbers)))
      let mode = modes[max(1, .random(in: 0..<2 * modes.count, using: &numbers)) % modes.count]
      let anyMode = SharingMode.allCases[Int.random(in: 0...3, using: &numbers)]
      let friend = [Role.reader, .confidant].randomElement(using: &numbers) ?? .reader
      let member = [Role.walker, .reader, .confidant].randomElement(using: &numbers) ?? .walker
      switch Int.random(in: 0..<32, using: &numbers) {
      case 0..<9: steps.append(.walk(cell))
      case 9: steps.append(.share(mode, with: nil, until: until))
      case 10, 11: steps.append(.share(mode, with: .reader, until: until))
      case 12: steps.append(.share(anyMode, with: .confidant, until: until))
      case 13: steps.append(.share(anyMode, with: .acquaintance, until: until))
      case 14: steps += [.part(friend), .walk(cell), .befriend(friend)]
      case 15: steps += [.block(friend), .walk(cell), .unblock(friend), .befriend(friend)]
      case 16:
        steps += [.share(.off, with: nil, until: nil), .share(.off, with: .reader, until: nil)]
      case 17: steps += [.leave(.confidant), .join(.confidant)]
      case 18, 19: steps.append(.say(member))
      case 20: steps.append(.rename)
      case 21..<26: steps.append(.progress(objective: 0))
      case 26 where objective < objectives - 1:
        objective += 1
        steps.append(.progress(objective: objective))
      default:
        let quarters = Int64.random(in: 1...3, using: &numbers)
        time = time.advanced(by: .seconds(900 * quarters))
        steps.append(.wait(quarters: quarters))
      }
    }
    // In the end somebody unknown completes the mission.
    steps += [0, 0].map { .progress(objective: $0) }
    steps += (objective + 1..<objectives).map { .progress(objective: $0) }
    return steps + [.wait(quarters: 2), .say(.walker), .walk(origin), .wait(quarters: 100)]
  }

  /// Does a step, and what else happens in this world's minute.
  ///
  /// - Returns: What the reader heard, with the time at which it came.
  mutating func perform(_ step: Step) async throws -> [String] {
    begin = begin.advanced(by: .seconds(60))
    var heard = try await advance(to: begin)
    // Of the questions most are repeated too soon.
    for role in [Role.ghost, .walker] {
      try await world.call(
        AskLocation(userID: world.members[role.rawValue].id), as: Role.reader.rawValue)
    }
    try await performInBoth(step)
    heard += try await listen()
    var moments = (0..<Int.random(in: 2...5, using: &numbers)).map { _ in
      begin.advanced(by: .microseconds(.random(in: 1_000_000..<59_000_000, using: &numbers)))
    }
    moments.sort()
    for (index, moment) in moments.enumerated() {
      heard += try await advance(to: moment)
      switch step {
      case .walk(let cell): try await walk(in: cell)
      case .progress(let objective) where index == 0: try await progress(objective)
      default: break
      }
      try await doUnseen()
      if Bool.random(using: &numbers) { heard += try await listen() }
    }
    if case .wait(let quarters) = step {
      begin = begin.advanced(by: .seconds(900 * quarters))
    }
    return heard + (try await advance(to: begin.advanced(by: .seconds(59))))
  }

  private mutating func performInBoth(_ step: Step) async throws {
    let walker = Role.walker.rawValue
    func id(_ role: Role) -> UUID { world.members[role.rawValue].id }
    switch step {
    case .walk(let cell):
      // What was not shown before is shown at once, so it happens at the same moment in both.
      if try await isShownAtOnce() { try await walk(in: cell) }
    case .progress, .wait: break
    case .share(let mode, let friend, let until):
      try await world.share(mode, of: walker, with: friend?.rawValue, until: until)
    case .befriend(let role): try await world.befriend(role.rawValue, walker)
    case .part(let role): try await world.call(RemoveFriend(userID: id(.walker)), as: role.rawValue)
    case .block(let role): try await world.block(role.rawValue, by: walker)
    case .unblock(let role): try await world.call(UnblockUser(userID: id(role)), as: walker)
    case .say(let role):
      try await world.call(SayInMission(missionID: mission.id, text: "Hello"), as: role.rawValue)
    case .join(let role):
      try await world.call(JoinMission(missionID: mission.id), as: role.rawValue)
    case .leave(let role):
      try await world.call(LeaveMission(missionID: mission.id), as: role.rawValue)
    case .rename:
      var update = UpdateMission(missionID: mission.id)
      update.title = "Tiles \(begin.microseconds)"
      try await world.call(update, as: walker)
    }
  }

  // MARK: - What the reader may not know

  private mutating func walk(in cell: GridCell) async throws {
    // The middle seven tenths of the cell, where no neighbour holds it any more.
    let half = 0.35 / (cell.level == .oneKilometre ? 120.0 : 12)
    let place = Coordinate.at(
      cell.center.latitude + .random(in: -half...half, using: &numbers),
      cell.center.longitude + .random(in: -half...half, using: &numbers))
    try await publish(place, as: .walker)
  }

  /// Whether the next report shows somebody a position, or a more exact one, for the first time.
  private func isShownAtOnce() async throws -> Bool {
    let (walker, now) = (world.members[Role.walker.rawValue].caller.userID, world.now)
    return try await world.storage.read { database in
      let stored = try LocationRecords.find(walker, in: database)
      let audience = try LocationAudience(of: walker, at: now, in: database)
      return stored?.precision ?? .off < audience.limit
    }
  }

  private mutating func publish(_ place: Coordinate, as role: Role) async throws {
    let report = LocationReport(
      coordinate: place, accuracyMetres: .random(in: 1...90, using: &numbers),
      speed: .random(in: 0...40, using: &numbers), course: .random(in: 0..<360, using: &numbers),
      battery: .random(in: 1...100, using: &numbers), recordedAt: world.now,
      source: Bool.random(using: &numbers) ? "gps" : "manual")
    try await world.call(PublishLocations(locations: [report]), as: role.rawValue)
  }

  private mutating func progress(_ objective: Int) async throws {
    let role = stranger()
    try await world.call(JoinMission(missionID: mission.id), as: role.rawValue)
    try await world.call(
      CheckIn(
        missionID: mission.id, objectiveID: mission.objectives[objective].id, at: .lisbon,
        accuracyMetres: 5), as: role.rawValue)
  }

  private mutating func stranger() -> Role {
    Bool.random(using: &numbers) ? .blocker : .blocked
  }

  /// Something that people do whom the reader does not know of, or where the reader is not.
  private mutating func doUnseen() async throws {
    let role = stranger()
    let id = mission.id
    switch Int.random(in: 0..<14, using: &numbers) {
    case 9:
      // The reader is named too, but not known to be there.
      let all = Role.allCases.map { world.members[$0.rawValue].id }
      try await world.call(BeginOnMyWay(missionID: id, userIDs: all), as: role.rawValue)
    case 10:
      let walker = world.members[Role.walker.rawValue].id
      try await world.call(
        BeginOnMyWay(missionID: id, userIDs: [walker]), as: Role.confidant.rawValue)
    case 11:
      let ender = Bool.random(using: &numbers) ? Role.confidant : role
      try await world.call(EndOnMyWay(), as: ender.rawValue)
    case 7:
      // Whether somebody closes the reader's question, and who else asks them.
      let closer = Bool.random(using: &numbers) ? Role.ghost : .walker
      try await world.call(
        CloseLocationAsk(userID: world.members[Role.reader.rawValue].id), as: closer.rawValue)
    case 8:
      try await world.call(
        AskLocation(userID: world.members[Role.ghost.rawValue].id),
        as: Role.confidant.rawValue)
    case 0: try await world.call(SayInMission(missionID: id, text: "Psst"), as: role.rawValue)
    case 1: try await world.call(LeaveMission(missionID: id), as: role.rawValue)
    case 2: try await world.call(JoinMission(missionID: id), as: role.rawValue)
    case 3:
      let name = "Name \(Int.random(in: 0..<1000, using: &numbers))"
      try await world.call(
        UpdateProfile(displayName: name, bio: name), as: Role.blocker.rawValue)
    case 4:
      try await world.share(
        SharingMode.allCases.randomElement(using: &numbers) ?? .off, of: role.rawValue)
    case 5:
      try await world.call(
        RequestFriend(userID: world.members[Role.ghost.rawValue].id), as: role.rawValue)
    case 6: _ = try await world.create(.sample("Secret"), as: role.rawValue)
    default:
      let place = Coordinate.at(
        .random(in: 30...60, using: &numbers), .random(in: -9...20, using: &numbers))
      try await publish(place, as: Bool.random(using: &numbers) ? .ghost : role)
    }
  }

  // MARK: - What the reader hears

  /// Lets everything that is due by then come when it is due.
  private func advance(to end: WireTime) async throws -> [String] {
    var heard = try await listen()
    while let due = try await nextDue(), due <= end {
      world.now = max(due, world.now)
      heard += try await listen()
    }
    world.now = max(end, world.now)
    return heard + (try await listen())
  }

  private func nextDue() async throws -> WireTime? {
    try await world.storage.read { database in
      [
        try SharingRecords.earliestEnd(in: database),
        try LocationRecords.earliestMove(in: database),
        try OnMyWayRecords.earliestEnd(in: database),
      ].compactMap(\.self).min()
    }
  }

  private func listen() async throws -> [String] {
    try await world.turn()
    return await world.frames(for: Role.reader.rawValue).map { "\(world.now) \($0)" }
  }
}
