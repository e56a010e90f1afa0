import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

@Suite struct FriendPositionTests {
  private func position(_ precision: SharingMode, ago seconds: Int) throws -> FriendPosition {
    let time = Samples.time.advanced(by: .seconds(-seconds))
    return try #require(
      FriendPosition(
        Samples.location(of: 2, precision: precision, recordedAt: time),
        of: Samples.friend(2)))
  }

  @Test(arguments: [
    (-30, PositionAge.fresh), (599, .fresh), (600, .older), (21_599, .older), (21_600, .old),
  ])
  func `its mark tells ten minutes and six hours apart`(seconds: Int, age: PositionAge) throws {
    #expect(try position(.precise, ago: seconds).age(at: Samples.time) == age)
  }

  @Test func `a precise position stays for a day, a coarse one for a week`() throws {
    let day = 24 * 3600
    #expect(try position(.precise, ago: day - 1).isShown(at: Samples.time))
    #expect(try !position(.precise, ago: day).isShown(at: Samples.time))
    #expect(try position(.approximate1km, ago: 7 * day - 1).isShown(at: Samples.time))
    #expect(try !position(.approximate10km, ago: 7 * day).isShown(at: Samples.time))
  }

  @Test
  func
    `of a coarse time only the quarter of an hour is known, so that it looks as young as it may be`()
    throws
  {
    // From the beginning of its quarter of an hour to ten minutes after the end.
    for (seconds, age) in [(0, PositionAge.fresh), (899 + 600, .fresh), (900 + 600, .older)] {
      #expect(try position(.approximate10km, ago: seconds).age(at: Samples.time) == age)
    }
    let seen = try position(.approximate1km, ago: 60)
    #expect(seen.latestTime == seen.recordedAt.advanced(by: .seconds(900)))
    #expect(try position(.precise, ago: 60).latestTime == Samples.time.advanced(by: .seconds(-60)))
  }

  @Test(arguments: [
    (1800.0, "within 10 km"), (7000, "within 20 km"), (12_000, "about 10 km"),
    (24_000, "about 20 km SE"), (273_000, "about 270 km SE"),
  ])
  func `somebody known to 10 km is told in steps of 10 km, and a direction only from afar`(
    metres: Double, way: String
  ) throws {
    #expect(try self.way(metres, .approximate10km, accuracy: 10_000) == way)
  }

  @Test(arguments: [
    (SharingMode.approximate1km, 1000.0, 600.0, "within 2 km"),
    (.approximate1km, 1000, 4400, "about 4 km SE"),
    (.precise, 12, 140, "140 m SE"), (.precise, 12, 7, "within 20 m"),
    (.precise, 500, 300, "within 1 km"), (.precise, 500, 2300, "about 2 km SE"),
  ])
  func `the accuracy of a position decides how its distance is told`(
    precision: SharingMode, accuracy: Double, metres: Double, way: String
  ) throws {
    #expect(try self.way(metres, precision, accuracy: accuracy) == way)
  }

  /// The way from a place to a friend that far to the south-east.
  private func way(
    _ metres: Double, _ precision: SharingMode, accuracy: Double
  ) throws -> String {
    let friend = try #require(Coordinate(latitude: 0, longitude: 10))
    let degrees = metres / 111_195 / 2.0.squareRoot()
    let here = try #require(Coordinate(latitude: degrees, longitude: 10 - degrees))
    var row = Samples.location(of: 2, precision: precision)
    (row.latitude, row.longitude) = (friend.latitude, friend.longitude)
    row.accuracyMetres = accuracy
    return try #require(FriendPosition(row, of: Samples.friend(2))).way(from: here)
  }

  @Test func `who moves has a course and a speed`() throws {
    func isMoving(_ speed: Double?, _ course: Double?) -> Bool? {
      FriendPosition(
        Samples.location(of: 2, speed: speed, course: course), of: Samples.friend(2))?.isMoving
    }
    #expect(isMoving(1.4, 90) == true)
    #expect(isMoving(0.1, 90) == false)
    #expect(isMoving(1.4, nil) == false)
  }

  @Test func `a row whose numbers name no place is no position`() {
    var row = Samples.location(of: 2)
    row.latitude = 91
    #expect(FriendPosition(row, of: Samples.friend(2)) == nil)
  }
}
