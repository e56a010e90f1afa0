import Foundation
import RallyDomain
import RallyMap
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyTUI

/// What the clocks show where friends are.
@Suite struct PlaceClocksTests {
  private let noon = Samples.time

  private func position(
    _ latitude: Double, _ longitude: Double, _ precision: SharingMode = .precise
  ) throws -> FriendPosition {
    try #require(
      FriendPosition(
        Samples.location(
          of: 1, at: Samples.coordinate(latitude, longitude), precision: precision),
        of: Samples.friend(1)))
  }

  /// Two zones that meet at the meridian of Greenwich.
  private func clocks(west: String, east: String) throws -> PlaceClocks {
    let zones = [
      try #require(LocalTimeZone(identifier: west)), try #require(LocalTimeZone(identifier: east)),
    ]
    return PlaceClocks { zones[$0.longitude < 0 ? 0 : 1] }
  }

  @Test func `the clock is that of the nearest city, with day or night by the sun`() throws {
    let lisbon = try #require(
      PlaceClocks.shared.hour(at: position(38.7223, -9.1393), now: noon))
    #expect(lisbon == PlaceHour(clock: "12:00", isNight: false))
    #expect(lisbon.text(.braille) == "12:00 ☼")
    let tokyo = try #require(PlaceClocks.shared.hour(at: position(35.6895, 139.6917), now: noon))
    #expect(tokyo.text(.braille) == "21:00 ☾")
    #expect(tokyo.text(.ascii) == "21:00 n")
    #expect(tokyo.words == "21:00 there, night")
    // In summer an hour more.
    let summer = try #require(WireTime("2026-07-01T12:00:00Z"))
    #expect(
      try PlaceClocks.shared.hour(at: position(38.7223, -9.1393), now: summer)?.clock == "13:00")
  }

  @Test func `the time zone of every city is in the system's database`() throws {
    let zones = Set(try WorldMap.shared.cities().map(\.timeZone))
    #expect(zones.filter { LocalTimeZone(identifier: $0) == nil }.isEmpty)
  }

  @Test func `far from every city nothing is said`() throws {
    #expect(try PlaceClocks.shared.hour(at: position(-48, -123), now: noon) == nil)
  }

  @Test func `a coarse cell with two clocks has none, a precise position has its own`() throws {
    let clocks = try clocks(west: "Europe/Lisbon", east: "Europe/Madrid")
    #expect(try clocks.hour(at: position(40, 0.02, .approximate10km), now: noon) == nil)
    #expect(try clocks.hour(at: position(40, 0.02), now: noon)?.clock == "13:00")
    #expect(try clocks.hour(at: position(40, -0.02), now: noon)?.clock == "12:00")
    // A cell that does not reach over it.
    #expect(try clocks.hour(at: position(40, 0.02, .approximate1km), now: noon)?.clock == "13:00")
  }

  @Test func `two zones whose clocks agree are one`() throws {
    let clocks = try clocks(west: "Europe/Amsterdam", east: "Europe/Berlin")
    #expect(
      try clocks.hour(at: position(52, 0.02, .approximate10km), now: noon)?.clock == "13:00")
  }

  @Test func `zones are looked up once for a place`() throws {
    var count = 0
    let clocks = PlaceClocks { _ in
      count += 1
      return .utc
    }
    let position = try position(40, 3, .approximate10km)
    #expect(clocks.hour(at: position, now: noon)?.clock == "12:00")
    #expect(count == 9)
    #expect(clocks.hour(at: position, now: noon.advanced(by: .seconds(60)))?.clock == "12:01")
    #expect(count == 9)
  }
}
