import RallyMap
import Testing

@testable import RallyStreets

@Suite struct TileNumbersTests {
  @Test func `the numbers of an area are those of the tiles that it touches`() throws {
    var noise = ArchiveNoise(seed: 3)
    for _ in 0..<60 {
      func degrees(_ reach: Double) -> Double { Double.random(in: -reach...reach, using: &noise) }
      let (a, b, c, d) = (degrees(180), degrees(180), degrees(88), degrees(88))
      let area = try #require(
        GeoBounds(west: min(a, b), south: min(c, d), east: max(a, b), north: max(c, d)))
      let numbers = try TileNumbers(TileArea(area), zooms: 0...5)
      for zoom in 0...5 {
        for x in 0..<1 << zoom {
          for y in 0..<1 << zoom {
            let address = ArchiveFixtures.address(zoom, x, y)
            let isWanted =
              area.columns(zoom: zoom).contains(x) && area.rows(zoom: zoom).contains(y)
            #expect(numbers.touches(address.number..<address.number + 1) == isWanted)
          }
        }
      }
    }
  }

  @Test func `the whole world is one range`() throws {
    #expect(
      try TileNumbers(TileArea(.world), zooms: 0...14).ranges == [
        0..<TileAddress.firstNumber(ofZoom: 15)
      ])
  }

  @Test func `an edge between two tiles belongs to the one within the area`() throws {
    let quarter = try #require(GeoBounds(west: -180, south: 0, east: 0, north: 85))
    #expect(quarter.columns(zoom: 1) == 0...0)
    #expect(quarter.rows(zoom: 1) == 0...0)
    #expect(GeoBounds.world.columns(zoom: 2) == 0...3)
    #expect(GeoBounds.world.rows(zoom: 2) == 0...3)
  }

  @Test func `an area around a point reaches as far as its radius`() throws {
    let lisbon = GeoPoint(latitude: 38.72, longitude: -9.14)
    let area = try #require(GeoBounds(around: lisbon, radius: 20_000))
    #expect(abs(area.north - 38.8997) < 0.001)
    #expect(abs(area.east - -8.9097) < 0.001)
    let atEdge = GeoPoint(latitude: 0, longitude: 179.99)
    #expect(GeoBounds(around: atEdge, radius: 20_000)?.east == 180)
    #expect(GeoBounds(around: lisbon, radius: 0) == nil)
    #expect(GeoBounds(around: lisbon, radius: .nan) == nil)
    #expect(GeoBounds(around: GeoPoint(latitude: 89, longitude: 0), radius: 5) == nil)
  }

  @Test(arguments: ["", "1,2,3", "1,2,3,4,5", "3,2,1,4", "1,4,3,2", "a,b,c,d", "1,2,nan,4", ",,,"])
  func `what is no area is refused`(text: String) {
    #expect(TileArea(typed: text) == nil)
  }

  @Test func `an area is read as west, south, east, north`() {
    let area = TileArea(typed: "-9.3, 38.6,-9.0,38.9")
    #expect(area?.parts.map(\.description) == ["-9.3 38.6 -9.0 38.9"])
  }

  @Test func `an area that crosses the 180th meridian is the two on its sides`() throws {
    let taveuni = GeoPoint(latitude: -16.8, longitude: 179.95)
    let area = try #require(TileArea(around: taveuni, radius: 20_000))
    #expect(area.parts.count == 2)
    #expect(area.parts[0].east == 180 && abs(area.parts[0].west - 179.762) < 0.001)
    #expect(area.parts[1].west == -180 && abs(area.parts[1].east - -179.862) < 0.001)
    #expect((area.bounds.west, area.bounds.east) == (-180, 180))
    let west = try #require(
      TileArea(around: GeoPoint(latitude: -16.8, longitude: -179.99), radius: 20_000))
    #expect(west.parts.map(\.east) == [180, west.parts[1].east])
    let last = (1 << 10) - 1
    #expect(area.touches(ArchiveFixtures.address(10, last, 560)))
    #expect(area.touches(ArchiveFixtures.address(10, 0, 560)))
    #expect(!area.touches(ArchiveFixtures.address(10, 512, 560)))
    let numbers = try TileNumbers(area, zooms: 10...10)
    for x in [0, 1, 512, last] {
      let number = ArchiveFixtures.address(10, x, 560).number
      #expect(numbers.touches(number..<number + 1) == (x == 0 || x == last))
    }
    // One that does not cross is one box, and so is one around the whole world.
    #expect(TileArea(around: GeoPoint(latitude: 0, longitude: 0), radius: 9_000)?.parts.count == 1)
    #expect(
      TileArea(around: GeoPoint(latitude: 84, longitude: 170), radius: 3_000_000)?.parts.count == 1)
    #expect(TileArea(typed: "179,-17,-179,-16")?.parts.count == 2)
  }
}

extension GeoBounds {
  fileprivate var description: String { "\(west) \(south) \(east) \(north)" }
}
