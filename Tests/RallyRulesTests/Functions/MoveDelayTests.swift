import Foundation
import RallyGate
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyStorage

@Suite struct MoveDelayTests {
  private static let key = SecretKey(bytes: [UInt8](repeating: 7, count: SecretKey.length))!
  private static let south = GridCell(
    containing: Coordinate(latitude: 52.52, longitude: 13.405)!, level: .oneKilometre)
  private static let north = GridCell(
    level: .oneKilometre, row: south.row + 1, column: south.column)!
  private static let morning = CellMove(
    owner: "ana", from: south, to: north, time: WireTime("2026-08-03T07:10:00Z")!)

  private static func delay(_ move: CellMove, key: SecretKey = key) -> Duration {
    MoveDelay.derived.due(move, key).since(move.time)
  }

  @Test func `the same crossing in the same hour of a month has one delay`() {
    var later = Self.morning
    later.time = WireTime("2026-08-27T07:59:59Z")!
    #expect(Self.delay(later) == Self.delay(Self.morning))
  }

  @Test func `another hour, month, direction, edge, person or key has another delay`() throws {
    let known = Self.morning
    var others = Array(repeating: known, count: 5)
    others[0].time = WireTime("2026-08-03T08:10:00Z")!
    others[1].time = WireTime("2026-09-03T07:10:00Z")!
    (others[2].from, others[2].to) = (known.to, known.from)
    others[3].to = try #require(
      GridCell(level: .oneKilometre, row: known.from.row, column: known.from.column + 1))
    others[4].owner = "ben"
    let other = try #require(SecretKey(bytes: [UInt8](repeating: 8, count: SecretKey.length)))
    let delays = [Self.delay(known), Self.delay(known, key: other)] + others.map { Self.delay($0) }
    #expect(Set(delays).count == delays.count)
  }

  /// How long the stretch is on which the place of a habit can still lie, in the mean of so many
  /// people: somebody sees each announcement, knows the pace and the longest delay, and cuts what
  /// each day leaves.
  private static func stretch(
    days: Int, people: Int = 200, delay: (CellMove) -> Duration
  ) -> Double {
    let pace = 1.4
    let longest = GridLevel.oneKilometre.longestDelay / .seconds(1)
    let whole = (0..<people).reduce(0.0) { sum, person in
      let delays = (0..<days).map { day in
        var move = morning
        move.owner = "person \(person)"
        move.time = morning.time.advanced(by: .seconds(Int64(day) * 86_400))
        return delay(move) / .seconds(1)
      }
      let range = (delays.max() ?? 0) - (delays.min() ?? 0)
      return sum + (longest - range) * pace
    }
    return whole / Double(people)
  }

  /// The figures of SECURITY.md, by key 7 and seed 60; the first of the days is 3 August.
  @Test func `sixty days of the same way leave half of the stretch, and drawn delays none`() {
    let derived = [20, 60].map { Self.stretch(days: $0) { Self.delay($0) } }
    #expect(derived[0] == 168, "20 days: \(derived[0]) m")
    #expect((76...92).contains(derived[1]), "60 days: \(derived[1]) m")
    var numbers = SeededGenerator(seed: 60)
    let drawn = [20, 60].map { days in
      Self.stretch(days: days) { _ in .milliseconds(Int64.random(in: 0...120_000, using: &numbers))
      }
    }
    #expect(drawn[0] < 20 && drawn[1] < 8, "\(drawn)")
  }
}
