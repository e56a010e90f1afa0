import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

/// The rule between the devices of one person.
@Suite struct LocationDeviceTests {
  private static let now = WireTime("2026-08-01T12:00:00Z")!

  private static func ago(_ minutes: Int64) -> WireTime {
    now.advanced(by: .seconds(-60 * minutes))
  }

  private static func device(
    _ id: String, reported: Int64, moved: Int64? = nil, accuracy: Double? = nil
  ) -> LocationDevice {
    LocationDevice(
      id: id, reportedAt: ago(reported), movedAt: moved.map(ago), accuracyMetres: accuracy,
      mark: "")
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var phone: LocationDevice
    var laptop: LocationDevice
    var replaces: Bool
  }

  private static let cases: [Case] = [
    Case(
      testDescription: "the other one's report is too old",
      phone: device("phone", reported: 0, accuracy: 900),
      laptop: device("laptop", reported: 16, moved: 17, accuracy: 5), replaces: true),
    Case(
      testDescription: "both still, and as exact",
      phone: device("phone", reported: 0, accuracy: 20),
      laptop: device("laptop", reported: 14, accuracy: 20), replaces: false),
    Case(
      testDescription: "both still, and more exact",
      phone: device("phone", reported: 0, accuracy: 8),
      laptop: device("laptop", reported: 14, accuracy: 20), replaces: true),
    Case(
      testDescription: "both still, and of unknown accuracy",
      phone: device("phone", reported: 0),
      laptop: device("laptop", reported: 14, accuracy: 2000), replaces: false),
    Case(
      testDescription: "it moves beside one that stays, however vague it is",
      phone: device("phone", reported: 0, moved: 10, accuracy: 900),
      laptop: device("laptop", reported: 1, accuracy: 5), replaces: true),
    Case(
      testDescription: "it stays beside one that moves, however exact it is",
      phone: device("phone", reported: 0, accuracy: 2),
      laptop: device("laptop", reported: 1, moved: 10, accuracy: 900), replaces: false),
    Case(
      testDescription: "it moved later",
      phone: device("phone", reported: 0, moved: 3),
      laptop: device("laptop", reported: 1, moved: 4), replaces: true),
    Case(
      testDescription: "it moved earlier",
      phone: device("phone", reported: 0, moved: 4, accuracy: 2),
      laptop: device("laptop", reported: 1, moved: 3), replaces: false),
    Case(
      testDescription: "its own movement is too long ago",
      phone: device("phone", reported: 0, moved: 16, accuracy: 20),
      laptop: device("laptop", reported: 1, accuracy: 20), replaces: false),
    Case(
      testDescription: "both movements are too long ago",
      phone: device("phone", reported: 0, moved: 40, accuracy: 8),
      laptop: device("laptop", reported: 1, moved: 20, accuracy: 20), replaces: true),
    Case(
      testDescription: "a device replaces its own report",
      phone: device("laptop", reported: 0, accuracy: 900),
      laptop: device("laptop", reported: 1, moved: 1, accuracy: 5), replaces: true),
  ]

  @Test(arguments: cases) func `one report takes the place of another one's`(_ test: Case) {
    #expect(test.phone.replaces(test.laptop, at: Self.now) == test.replaces)
  }

  // MARK: - Movement

  private static func mark(_ cell: GridCell) -> String { "\(cell.row) \(cell.column)" }

  private static func state(
    _ place: Coordinate, at time: WireTime = now, speed: Double? = nil, source: String = "gps",
    after previous: LocationDevice? = nil
  ) -> LocationDevice? {
    LocationDevice(
      LocationReport(coordinate: place, speed: speed, recordedAt: time, source: source),
      from: "phone", at: max(now, time), after: previous, mark: mark)
  }

  @Test func `it moved when it is fast, in another cell, or put there by hand`() throws {
    let start = try #require(Self.state(.lisbon))
    #expect(start.movedAt == nil)
    let later = Self.now.advanced(by: .seconds(60))
    func moved(_ place: Coordinate, speed: Double? = nil, source: String = "gps") -> Bool {
      Self.state(place, at: later, speed: speed, source: source, after: start)?.movedAt == later
    }
    #expect(!moved(.acrossTheStreet))
    #expect(!moved(.acrossTheStreet, speed: 0.99))
    #expect(moved(.acrossTheStreet, speed: 1))
    #expect(moved(.downtown))
    #expect(moved(.lisbon, source: "manual"))
  }

  @Test func `at the edge of a cell nobody moves to and fro`() throws {
    let cell = GridCell(containing: .lisbon, level: .oneKilometre)
    let east = try #require(
      GridCell(level: .oneKilometre, row: cell.row, column: cell.column + 1))
    let edge = (cell.center.longitude + east.center.longitude) / 2
    var device = try #require(Self.state(.at(cell.center.latitude, edge - 0.0001)))
    for (step, offset) in [0.0001, -0.0001, 0.0002].enumerated() {
      device = try #require(
        Self.state(
          .at(cell.center.latitude, edge + offset),
          at: Self.now.advanced(by: .seconds(Int64(step) + 1)), after: device))
      #expect(device.movedAt == nil)
      #expect(device.mark == Self.mark(cell))
    }
  }

  @Test func `a movement is remembered, and one that is told late is none`() throws {
    let start = try #require(Self.state(.lisbon, speed: 5))
    #expect(start.movedAt == Self.now)
    let still = Self.state(.lisbon, at: Self.now.advanced(by: .seconds(60)), after: start)
    #expect(still?.movedAt == Self.now)
    #expect(Self.state(.lisbon, at: Self.ago(15), speed: 5)?.movedAt == Self.now)
    #expect(Self.state(.lisbon, at: Self.ago(16), speed: 5)?.movedAt == nil)
  }
}
