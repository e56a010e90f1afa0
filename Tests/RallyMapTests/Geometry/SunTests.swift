import Foundation
import RallyMap
import Testing

struct SunTests {
  @Test(arguments: [
    ("2026-06-21T08:24:00Z", 23.435, 54.448), ("2026-03-20T14:46:00Z", 0.002, -39.643),
    ("2026-11-21T12:00:00Z", -19.971, -3.537),
  ])
  func `the sun stands over known places`(time: String, latitude: Double, longitude: Double) throws
  {
    let sun = Sun(at: try Date(time, strategy: .iso8601)).subsolarPoint
    #expect(abs(sun.latitude - latitude) < 0.01 && abs(sun.longitude - longitude) < 0.01)
  }

  @Test func `equinoxes and solstices of the almanac`() throws {
    // Moments published by the US Naval Observatory.
    for (time, latitude) in [
      ("2024-03-20T03:06:00Z", 0.0), ("2024-06-20T20:51:00Z", 23.44),
      ("2024-09-22T12:44:00Z", 0.0), ("2024-12-21T09:20:00Z", -23.44),
    ] {
      let sun = Sun(at: try Date(time, strategy: .iso8601)).subsolarPoint
      #expect(abs(sun.latitude - latitude) < 0.01)
    }
  }

  @Test func `night falls and ends in London when the almanac says`() throws {
    // 21 June 2024: sunrise 03:43, sunset 20:21 UTC.
    let london = GeoPoint(latitude: 51.5074, longitude: -0.1278)
    func isNight(_ time: String) throws -> Bool {
      Sun(at: try Date("2024-06-21T\(time):00Z", strategy: .iso8601)).isNight(at: london)
    }
    #expect(try isNight("03:40") && !isNight("03:46"))
    #expect(try !isNight("20:18") && isNight("20:24"))
  }

  @Test func `the poles have their half year`() throws {
    let june = Sun(at: try Date("2026-06-21T00:00:00Z", strategy: .iso8601))
    let north = GeoPoint(latitude: 90, longitude: 0)
    #expect(!june.isNight(at: north))
    #expect(june.isNight(at: GeoPoint(latitude: -90, longitude: 0)))
    #expect(abs(june.altitude(at: north) - 23.43) < 0.02)
    #expect(abs(june.altitude(at: june.subsolarPoint) - 90) < 1e-4)
  }
}
