import Foundation
import Testing

@testable import RallyWire

@Suite struct CoordinateTests {
  @Test(
    arguments: [
      (90.1, 0), (-90.1, 0), (0, 180.1), (0, -180.1), (Double.nan, 0), (0, Double.infinity),
    ] as [(Double, Double)])
  func `numbers outside of the globe name no place`(_ latitude: Double, _ longitude: Double) {
    #expect(Coordinate(latitude: latitude, longitude: longitude) == nil)
    let text = "{\"latitude\":\(latitude),\"longitude\":\(longitude)}"
    #expect(throws: (any Error).self) {
      try WireJSON.decode(Coordinate.self, from: Data(text.utf8))
    }
  }

  @Test func `units outside of the globe name no place`() {
    #expect(Coordinate(latitudeUnits: 900_000_001, longitudeUnits: 0) == nil)
    #expect(Coordinate(latitudeUnits: 0, longitudeUnits: -1_800_000_001) == nil)
    #expect(Coordinate(latitudeUnits: 0, longitudeUnits: 1_800_000_000)?.longitude == -180)
  }

  @Test func `a place survives the wire to the last unit`() throws {
    var numbers = SeededGenerator(seed: 7)
    for _ in 0..<10_000 {
      let place = Coordinate(
        exactLatitude: .random(in: -900_000_000...900_000_000, using: &numbers),
        longitude: .random(in: -1_800_000_000..<1_800_000_000, using: &numbers))
      #expect(try WireJSON.decode(Coordinate.self, from: WireJSON.encode(place)) == place)
    }
  }
}
