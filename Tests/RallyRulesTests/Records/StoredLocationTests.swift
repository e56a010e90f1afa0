import Foundation
import RallyGate
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

@Suite struct StoredLocationTests {
  private static let id = UUID()
  private static let start = WireTime("2026-08-01T12:05:00Z")!
  private let moves: CellMoves

  init() throws { moves = try .immediate() }

  private func after(_ seconds: Int64) -> WireTime { Self.start.advanced(by: .seconds(seconds)) }

  private func stored(
    _ report: LocationReport, after previous: StoredLocation? = nil,
    limit: SharingMode = .precise
  ) throws -> StoredLocation {
    try #require(
      StoredLocation(
        report, of: Self.id, after: previous, limit: limit, moves: moves,
        at: report.recordedAt))
  }

  @Test func `without an audience or a place nothing is stored`() {
    func isStored(_ report: LocationReport, limit: SharingMode) -> Bool {
      StoredLocation(
        report, of: Self.id, after: nil, limit: limit, moves: moves, at: .now) != nil
    }
    #expect(!isStored(.sample(), limit: .off))
    var nowhere = LocationReport.sample()
    nowhere.latitude = 91
    #expect(!isStored(nowhere, limit: .precise))
  }

  @Test func `cutting drops what is finer and never brings it back`() throws {
    var location = try stored(.sample(at: Self.start))
    let whole = location
    location.cut(to: .off)
    location.cut(to: .precise)
    #expect(location == whole)
    location.cut(to: .approximate1km)
    #expect(location.coordinate == GridCell(containing: .lisbon, level: .oneKilometre).center)
    #expect(location.details == nil)
    #expect(location.recordedAt == WireTime("2026-08-01T12:00:00Z"))
    #expect(location.fine == whole.fine)
    location.cut(to: .approximate10km)
    #expect(location.coordinate == GridCell(containing: .lisbon, level: .tenKilometres).center)
    #expect(location.fine == nil)
    #expect(location.coarse == whole.coarse)
    let coarsest = location
    location.cut(to: .approximate1km)
    #expect(location == coarsest)
  }

  @Test func `a cell is told with the quarter in which it was entered`() throws {
    let first = try stored(.sample(.lisbon, at: Self.start))
    let second = try stored(.sample(.downtown, at: after(1200)), after: first)
    #expect(second.coarse == first.coarse)
    #expect(second.coarse.since == WireTime("2026-08-01T12:00:00Z"))
    #expect(second.fine?.since == WireTime("2026-08-01T12:15:00Z"))
    #expect(second.fine?.version == 2)
    #expect(second.version == 2)
  }

  @Test func `the same report again is no change`() throws {
    let report = LocationReport.sample(at: Self.start)
    let first = try stored(report)
    #expect(try stored(report, after: first) == first)
  }

  @Test func `exact times are compared exactly, cut ones by the quarter`() throws {
    let exact = try stored(.sample(at: Self.start))
    #expect(exact.isNewer(than: .sample(at: after(-1)), receivedAt: nil))
    #expect(!exact.isNewer(than: .sample(at: Self.start), receivedAt: nil))
    #expect(!exact.isNewer(than: .sample(at: after(1)), receivedAt: nil))
    // A client that cuts sends the beginning of the quarter.
    let quarter = Self.start.quarterHour
    #expect(!exact.isNewer(than: .sample(at: quarter, precision: .approximate1km), receivedAt: nil))
    #expect(
      exact.isNewer(than: .sample(at: after(-301), precision: .approximate1km), receivedAt: nil))
    let cut = try stored(.sample(at: Self.start), limit: .approximate10km)
    #expect(!cut.isNewer(than: .sample(at: after(-300)), receivedAt: nil))
    #expect(cut.isNewer(than: .sample(at: after(-301)), receivedAt: nil))
  }

  @Test func `a clock that is ahead shuts out no later report of a right one`() throws {
    let ahead = try stored(.sample(at: after(90)))
    #expect(ahead.isNewer(than: .sample(at: after(5)), receivedAt: nil))
    #expect(!ahead.isNewer(than: .sample(at: after(5)), receivedAt: Self.start))
    #expect(ahead.isNewer(than: .sample(at: after(-5)), receivedAt: Self.start))
  }

  @Test func `a version moves on by one, however much changed unseen`() throws {
    var location = try stored(.sample(.lisbon, at: Self.start))
    var visibility = ReaderVisibility.none.next(.approximate10km, from: nil, to: location)
    #expect(visibility.version(in: location) == 1)
    for step in 1...9 {
      location = try stored(
        .sample(step.isMultiple(of: 2) ? .lisbon : .downtown, at: after(Int64(step))),
        after: location)
    }
    #expect(visibility.version(in: location) == 1)
    visibility = visibility.next(.precise, from: location, to: location)
    #expect(visibility.version(in: location) == 2)
    var cut = location
    cut.cut(to: .approximate10km)
    visibility = visibility.next(.approximate10km, from: location, to: cut)
    #expect(visibility.version(in: cut) == 3)
    visibility = visibility.next(.off, from: cut, to: nil)
    #expect(visibility.version(in: nil) == 3)
    let fresh = try stored(.sample(.porto, at: after(10)))
    visibility = visibility.next(.approximate1km, from: nil, to: fresh)
    #expect(visibility.version(in: fresh) == 4)
  }
}
