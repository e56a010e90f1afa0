import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyServer

/// Two worlds in which the same person moves through the same cells, but is at other places within
/// them, at other moments of the same minutes, faster or slower, and reports more or less
/// often. Whatever a coarse reader can observe must be the same, byte for byte.
@Suite(.everyEngine) struct LocationIndistinguishableTests {
  private enum Step {
    case publish(GridCell)
    case share(SharingMode, with: Int?, until: WireTime?)
    case befriend(Int), part(Int), block(Int), unblock(Int)
    case wait(quarters: Int64)
  }

  /// Who is who: the one who moves, the coarse reader, and a precise and another coarse friend.
  private static let (owner, coarse, precise, third) = (0, 1, 2, 3)
  private static let start = WireTime("2026-08-01T12:00:00Z")!

  private static let filters = [
    "latitude=neq.0", "longitude=neq.0", "accuracy_m=neq.0", "speed=neq.0", "battery=neq.0",
    "course=neq.0", "source=neq.x", "precision=neq.x", "version=neq.0", "source=eq.gps",
    "version=in.(1,2,3,4,5)", "recorded_at=eq.2026-08-01T12:15:00.000000+00:00",
    "latitude=in.(38.7083333,38.6250000,38.7208333,38.7125)",
  ]

  /// - Parameter level: What the coarse reader may see at most.
  private static func script(
    _ count: Int, level: GridLevel, using numbers: inout SeededGenerator
  ) -> [Step] {
    let modes: [SharingMode] =
      level == .oneKilometre
      ? [.off, .approximate10km, .approximate1km] : [.off, .approximate10km]
    let origin = GridCell(containing: .lisbon, level: level)
    var time = start
    var steps: [Step] = [
      .befriend(coarse), .befriend(precise), .befriend(third),
      .share(modes[modes.count - 1], with: nil, until: nil),
      .share(.precise, with: precise, until: nil),
    ]
    for _ in 0..<count {
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
      let other = Bool.random(using: &numbers) ? coarse : precise
      switch Int.random(in: 0..<24, using: &numbers) {
      case 0..<10: steps.append(.publish(cell))
      case 10: steps.append(.share(mode, with: nil, until: until))
      case 11, 12: steps.append(.share(mode, with: coarse, until: until))
      case 13, 14: steps.append(.share(anyMode, with: precise, until: until))
      case 15: steps.append(.share(anyMode, with: third, until: until))
      case 16: steps += [.part(other), .publish(cell), .befriend(other)]
      case 17: steps.append(.part(precise))
      case 18: steps.append(.befriend(precise))
      case 19: steps += [.block(other), .publish(cell), .unblock(other), .befriend(other)]
      default:
        let quarters = Int64.random(in: 1...3, using: &numbers)
        time = time.advanced(by: .seconds(900 * quarters))
        steps.append(.wait(quarters: quarters))
      }
    }
    return steps
  }

  /// Does the step in its own way: all that `numbers` decide is what nobody but precise readers may know.
  private static func perform(
    _ step: Step, in world: ServerWorld, using numbers: inout SeededGenerator
  ) async throws {
    let base = world.now
    switch step {
    case .publish(let cell):
      var moments = (0..<Int.random(in: 1...4, using: &numbers)).map { _ in
        Int64.random(in: 0..<60_000_000, using: &numbers)
      }
      moments.sort()
      for moment in moments {
        world.now = base.advanced(by: .microseconds(moment))
        let report = LocationReport(
          coordinate: place(in: cell, using: &numbers),
          accuracyMetres: .random(in: 1...90, using: &numbers),
          speed: .random(in: 0...40, using: &numbers),
          course: .random(in: 0..<360, using: &numbers),
          battery: .random(in: 1...100, using: &numbers), recordedAt: world.now,
          source: Bool.random(using: &numbers) ? "gps" : "manual")
        try await world.call(PublishLocations(locations: [report]), as: owner)
        if Bool.random(using: &numbers) { try await world.turn() }
      }
    case .share(let mode, let friend, let until):
      try await world.share(mode, of: owner, with: friend, until: until)
    case .befriend(let other): try await world.befriend(other, owner)
    case .part(let other):
      try await world.call(RemoveFriend(userID: world.members[owner].id), as: other)
    case .block(let other):
      try await world.call(BlockUser(userID: world.members[other].id), as: owner)
    case .unblock(let other):
      try await world.call(UnblockUser(userID: world.members[other].id), as: owner)
    case .wait(let quarters): world.now = base.advanced(by: .seconds(900 * quarters))
    }
    try await world.turn()
  }

  /// A place in the middle seven tenths of the cell, where no neighbour holds it any more.
  private static func place(in cell: GridCell, using numbers: inout SeededGenerator) -> Coordinate {
    let centre = cell.center
    let half = 0.35 / (cell.level == .oneKilometre ? 120.0 : 12)
    return .at(
      centre.latitude + .random(in: -half...half, using: &numbers),
      centre.longitude + .random(in: -half...half, using: &numbers))
  }

  /// All that somebody can see: frames, rows, rows since any moment, refusals.
  private static func observe(_ world: ServerWorld, as reader: Int) async throws -> [String] {
    var seen = await world.frames(for: reader)
    seen.append(try await world.call(FetchFriendLocations(), as: reader))
    for quarters in -2...0 {
      for rest in [-1, 0, 450_000_000] as [Int64] {
        let since = WireTime(
          microseconds: world.now.quarterHour.microseconds + Int64(quarters) * 900_000_000 + rest)
        seen.append(try await world.call(FetchFriendLocations(since: since), as: reader))
      }
    }
    seen.append(try await world.call(FetchLocationSharing(), as: reader))
    return seen
  }

  @Test(arguments: GridLevel.allCases, [11, 12] as [UInt64])
  func `a coarse reader cannot tell two worlds with the same cells apart`(
    _ level: GridLevel, _ seed: UInt64
  ) async throws {
    var numbers = SeededGenerator(seed: seed)
    let script = Self.script(50, level: level, using: &numbers)
    let one = try await ServerWorld(members: 4, at: Self.start, filters: Self.filters)
    let other = try await ServerWorld(members: 4, at: Self.start, filters: Self.filters)
    var (oneWay, otherWay) = (SeededGenerator(seed: seed + 100), SeededGenerator(seed: seed + 200))
    var heard = 0
    // Each step has a minute of its own; what happens when in it is part of what differs.
    var time = Self.start
    for (index, step) in script.enumerated() {
      (one.now, other.now) = (time, time)
      try await Self.perform(step, in: one, using: &oneWay)
      try await Self.perform(step, in: other, using: &otherWay)
      if case .wait(let quarters) = step { time = time.advanced(by: .seconds(900 * quarters)) }
      time = time.advanced(by: .seconds(60))
      let seen = try await Self.observe(one, as: Self.coarse)
      let theirs = try await Self.observe(other, as: Self.coarse)
      let difference = zip(theirs, seen).first { $0 != $1 }
      #expect(
        theirs == seen,
        "step \(index): \(step), \(difference.map { "\($0.0)\n\($0.1)" } ?? "not as many")")
      heard += seen.filter { $0.contains("postgres_changes") }.count
    }
    // The precise friend heard two different stories, the coarse one a story at all.
    #expect(await one.frames(for: Self.precise) != other.frames(for: Self.precise))
    #expect(heard > 5)
  }
}
