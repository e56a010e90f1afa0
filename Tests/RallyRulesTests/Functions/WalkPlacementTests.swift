import Foundation
import RallyGate
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyStorage

/// How well somebody who knows the rules can place a walker at the moment of an announcement.
@Suite struct WalkPlacementTests {
  /// Metres a second, which the observer knows.
  private static let pace = 1.4
  private static let walks = 200
  private static let metresPerDegree = 111_195.0
  private static let key = SecretKey(bytes: [UInt8](repeating: 42, count: SecretKey.length))!

  /// How far north of the line at which a cell is left the walker was when a reader heard of it, for
  /// each of the edges that they crossed one after the other. The observer knows the line, the
  /// direction and the pace, so this is all that is left to guess.
  private static func placements(
    _ level: GridLevel, delay: MoveDelay, using numbers: inout SeededGenerator
  ) async throws -> [Double] {
    let world = try await ServerWorld(members: 2, at: ServerWorld.noon, moveDelay: delay)
    let mode = try #require(SharingMode.allCases.first { $0.gridLevel == level })
    try await world.befriend(0, 1)
    try await world.share(mode, of: 0)
    let size = level == .oneKilometre ? 1 / 120.0 : 1 / 12.0
    var cell = GridCell(containing: .at(-8, 20), level: level)
    var placements: [Double] = []
    func publish(_ latitude: Double) async throws {
      let place = Coordinate.at(latitude, cell.center.longitude)
      try await world.call(PublishLocations(locations: [.sample(place, at: world.now)]), as: 0)
    }
    // Reports come as the map's sync has them, or as it has them where the device is under strain.
    let interval = level == .oneKilometre ? 15.0 : 60
    while placements.count < walks {
      // In the middle of a cell that is announced, hours after the last walk.
      world.wait(seconds: 7200)
      try await publish(cell.center.latitude)
      world.wait(seconds: 7200)
      try await world.turn()
      _ = await world.frames(for: 1)
      let line = cell.center.latitude + 0.6 * size
      let begin = world.now
      let offset = Double.random(in: 0..<pace * interval, using: &numbers)
      func metres(at time: WireTime) -> Double {
        pace * (time.since(begin) / .seconds(1)) - offset
      }
      while true {
        try await publish(line + metres(at: world.now) / metresPerDegree)
        let next = world.now.advanced(by: .microseconds(Int64(interval * 1e6)))
        if let due = try await world.storage.read(LocationRecords.earliestMove), due <= next {
          world.now = due
        }
        try await world.turn()
        guard await world.frames(for: 1).isEmpty else { break }
        world.now = max(next, world.now)
      }
      placements.append(metres(at: world.now))
      cell = try #require(
        GridCell(level: level, row: cell.row + 1, column: cell.column))
    }
    return placements
  }

  /// The length of the shortest stretch that holds a share of the walkers, metres.
  private static func stretch(_ share: Double, of placements: [Double]) -> Double {
    let sorted = placements.sorted()
    let count = Int((share * Double(sorted.count)).rounded(.up))
    return (0...sorted.count - count).map { sorted[$0 + count - 1] - sorted[$0] }.min() ?? 0
  }

  @Test(arguments: GridLevel.allCases)
  func `an announcement places a walker no better than a tenth of the cell`(
    _ level: GridLevel
  ) async throws {
    var numbers = SeededGenerator(seed: 41)
    let delay = MoveDelay { move, _ in
      // The same delays in each run: another key and owner than the world's.
      var move = move
      move.owner = "walker"
      return MoveDelay.derived.due(move, Self.key)
    }
    let tenth = Self.metresPerDegree / (level == .oneKilometre ? 1200 : 120)
    let placements = try await Self.placements(level, delay: delay, using: &numbers)
    #expect(placements.count == Self.walks)
    // Where all of them are, and how far off the best guess is on average.
    let whole = Self.stretch(1, of: placements)
    let middle = placements.reduce(0, +) / Double(placements.count)
    let error = placements.map { abs($0 - middle) }.reduce(0, +) / Double(placements.count)
    #expect(whole >= tenth, "all within \(whole) m")
    #expect(error >= tenth / 5, "\(error) m off on average")
    // Nine of ten are within hardly less.
    #expect(Self.stretch(0.9, of: placements) >= 0.85 * tenth)
  }

  @Test func `announced at once a walker would be placed by the next report`() async throws {
    var numbers = SeededGenerator(seed: 41)
    let placements = try await Self.placements(.oneKilometre, delay: .none, using: &numbers)
    #expect(Self.stretch(1, of: placements) <= Self.pace * 15)
  }
}
