import Foundation
import RallyGate
import RallyTestSupport
import RallyWatch
import RallyWire
import Testing

@testable import RallyDomain

/// The gate of cells on a terminal: the same rules as on the server, at the beat of a link.
@Suite struct WatchGateTests {
  private static let metresPerDegree = 111_195.0
  private static let secret = WatchKey(bytes: [UInt8](repeating: 42, count: 32))!

  private func at(_ latitude: Double, _ longitude: Double = 20) -> Coordinate {
    Coordinate(latitude: latitude, longitude: longitude)!
  }

  /// How far beyond the line at which a cell is left a walker was when a page was told.
  private func placements(
    _ level: GridLevel, delay: MoveDelay, walks: Int = 200
  ) throws -> [Double] {
    var numbers = SeededGenerator(seed: 41)
    let size = level == .oneKilometre ? 1 / 120.0 : 1 / 12.0
    let beat = WatchRules.beat(SharingMode.allCases.first { $0.gridLevel == level } ?? .off)
    var placements: [Double] = []
    var now = Samples.time
    for walk in 0..<walks {
      var gate = WatchGate(secret: Self.secret)
      let cell = GridCell(containing: at(-8 + Double(walk) * size), level: level)
      func report(_ latitude: Double, _ isFirst: Bool = false) -> AnnouncedCell {
        gate.report(
          at(latitude, cell.center.longitude), level: level, of: "walker", measured: now,
          isFirst: isFirst, delay: delay, at: now)
      }
      #expect(report(cell.center.latitude, true).cell == cell)
      let line = cell.center.latitude + 0.6 * size
      var metres = -Double.random(in: 0..<1.4 * 300, using: &numbers)
      while report(line + metres / Self.metresPerDegree).cell == cell {
        let pause = beat * Double.random(in: 0.9...1.1, using: &numbers)
        now = now.advanced(by: pause)
        metres += 1.4 * (pause / .seconds(1))
      }
      placements.append(metres)
      now = now.advanced(by: .seconds(7200))
    }
    return placements
  }

  @Test(arguments: GridLevel.allCases)
  func `a link places a walker no better than a tenth of the cell`(_ level: GridLevel) throws {
    let placements = try placements(level, delay: .derived)
    let tenth = Self.metresPerDegree / (level == .oneKilometre ? 1200 : 120)
    let (low, high) = (placements.min() ?? 0, placements.max() ?? 0)
    #expect(high - low >= tenth, "all within \(high - low) m")
    let middle = placements.reduce(0, +) / Double(placements.count)
    let error = placements.map { abs($0 - middle) }.reduce(0, +) / Double(placements.count)
    #expect(error >= tenth / 5, "\(error) m off on average")
  }

  @Test func `a person at an edge does not alternate between two cells`() {
    var gate = WatchGate(secret: Self.secret)
    var now = Samples.time
    let cell = GridCell(containing: at(38.7), level: .oneKilometre)
    let edge = cell.center.latitude + 0.5 / 120
    var seen: Set<GridCell> = []
    for step in 0..<200 {
      let place = at(edge + (step.isMultiple(of: 2) ? -1 : 1) * 0.05 / 120, cell.center.longitude)
      seen.insert(
        gate.report(
          place, level: .oneKilometre, of: "ana", measured: now, isFirst: step == 0, at: now
        ).cell)
      now = now.advanced(by: .seconds(300))
    }
    #expect(seen.count == 1)
  }

  @Test func `a new link at an edge reveals no more than one that went on`() throws {
    var gate = WatchGate(secret: Self.secret)
    let cell = GridCell(containing: at(38.7), level: .oneKilometre)
    let over = at(cell.center.latitude + 0.55 / 120, cell.center.longitude)
    _ = gate.report(
      cell.center, level: .oneKilometre, of: "ana", measured: Samples.time, isFirst: true,
      at: Samples.time)
    // As another process finds it in the file.
    gate = try WireJSON.decode(WatchGate.self, from: WireJSON.encode(gate))
    let later = Samples.time.advanced(by: .seconds(3600))
    #expect(
      gate.report(
        over, level: .oneKilometre, of: "ana", measured: later, isFirst: true, at: later
      ).cell == cell)
    // Far away, or a day later, it is the first report of all.
    let far = at(40.7, cell.center.longitude)
    #expect(
      gate.report(
        far, level: .oneKilometre, of: "ana", measured: later, isFirst: true, at: later
      ).cell == GridCell(containing: far, level: .oneKilometre))
  }
}
