import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

@Suite struct ApproachTests {
  private let now = Samples.time
  private let place = Samples.lisbon

  /// A place north of the mission's.
  private func north(_ metres: Double) throws -> Coordinate {
    try #require(
      Coordinate(latitude: place.latitude + metres / 111_195, longitude: place.longitude))
  }

  private func record(
    _ metres: Double, ago: Int64 = 0, speed: Double? = nil, precision: SharingMode = .precise
  ) throws -> LocationRecord {
    LocationRecord(
      userID: Samples.id(1), coordinate: try north(metres),
      accuracyMetres: precision == .precise ? 5 : 1000, speed: speed, course: nil, battery: nil,
      recordedAt: now.advanced(by: .seconds(-ago)), source: "gps", precision: precision, version: 1)
  }

  private func words(_ record: LocationRecord, _ track: [TimedPlace] = []) throws -> String {
    try #require(Approach(of: record, to: place, track: track, at: now)).words
      .joined(separator: " · ")
  }

  /// What is said of somebody who was so many metres away, each time a minute later.
  private func walked(_ metres: Double...) throws -> String {
    let track = try metres.reversed().enumerated().map { minutes, metres in
      TimedPlace(try north(metres), at: now.advanced(by: .seconds(Int64(-60 * minutes))))
    }
    return try words(record(metres.last ?? 0), track.reversed())
  }

  @Test func `without a track the measured speed tells`() throws {
    #expect(try words(record(1200, speed: 1.4)) == "1.2 km · 14 min at this pace")
    #expect(try words(record(1200, speed: 0.1)) == "1.2 km · not moving")
    #expect(try words(record(1200)) == "1.2 km")
  }

  @Test func `a coarse or an old position has no pace and no digit that is not known`() throws {
    let coarse = try words(record(20_000, speed: 2, precision: .approximate1km))
    #expect(coarse == "about 20 km")
    #expect(try words(record(1200, ago: 600, speed: 1.4)) == "1.2 km")
  }

  @Test func `beyond an hour no single minute is claimed`() throws {
    #expect(try words(record(3500, speed: 1)).hasSuffix("· 58 min at this pace"))
    #expect(try words(record(6100, speed: 1)).hasSuffix("· 1 h 40–45 min at this pace"))
    #expect(try words(record(14_600, speed: 1)).hasSuffix("· 4 h–4 h 15 min at this pace"))
    #expect(try words(record(13_900, speed: 1)).hasSuffix("· 3 h 45 min–4 h at this pace"))
  }

  @Test(arguments: [(0, "0 min"), (59, "59 min"), (60, "1 h"), (61, "1 h 1 min"), (1500, "25 h")])
  func `minutes are said in hours from an hour on`(minutes: Int, text: String) {
    #expect(minutes.minutesText == text)
  }

  @Test func `the last minutes tell a range`() throws {
    #expect(try walked(1500, 1400, 1300, 1200) == "1.2 km · 12 min at this pace")
    #expect(try walked(1500, 1450, 1350, 1200) == "1.2 km · 8–12 min at this pace")
    #expect(try walked(1200, 1201, 1199, 1200) == "1.2 km · not moving")
    #expect(try walked(1000, 1100, 1200) == "1.2 km")
  }

  @Test func `who arrived comes first, then the nearest, then who shows nothing`() throws {
    let mission = try #require(Mission(Samples.mission(1)))
    func row(_ person: Int, arrivedAt: WireTime? = nil, metres: Double? = nil) throws
      -> ComingRecord
    {
      ComingRecord(
        missionID: mission.id, userID: Samples.id(person), username: "p\(person)",
        displayName: "", beganAt: now,
        until: arrivedAt == nil ? now.advanced(by: .seconds(60)) : nil, arrivedAt: arrivedAt,
        location: try metres.map { try record($0) })
    }
    let rows = try [
      row(1), row(2, metres: 900), row(3, arrivedAt: now), row(4, metres: 300),
    ]
    let coming = Coming.all(rows, to: mission, at: now)
    #expect(coming.map(\.record.username) == ["p3", "p4", "p2", "p1"])
    #expect(coming.first?.words { _ in "14:02" } == ["arrived 14:02"])
    #expect(coming.last?.words { _ in "" } == ["on the way"])
    // Its time is over, also before it is fetched again.
    let later = now.advanced(by: .seconds(60))
    #expect(Coming.all(rows, to: mission, at: later).map(\.record.username) == ["p3"])
  }
}
