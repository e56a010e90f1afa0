import RallyWire
import Testing

@Suite struct CoordinateGeodesyTests {
  private func place(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    try #require(Coordinate(latitude: latitude, longitude: longitude))
  }

  @Test func `distances are those of the sphere`() throws {
    // A degree of a great circle is a 360th of its length.
    let degree = 2 * Double.pi * Coordinate.earthRadius / 360
    let equator = try place(0, 0)
    #expect(abs(equator.distance(to: try place(0, 1)) - degree) < 0.01)
    #expect(abs(equator.distance(to: try place(1, 0)) - degree) < 0.01)
    #expect(abs(equator.distance(to: try place(0, -180)) - 180 * degree) < 0.01)
    #expect(abs(try place(90, 0).distance(to: try place(-90, 77)) - 180 * degree) < 0.01)
    #expect(equator.distance(to: equator) == 0)
    // Heathrow to Kennedy is 5,554 km on the ellipsoid.
    let flight = try place(51.4775, -0.4614).distance(to: try place(40.6397, -73.7789))
    #expect(abs(flight - 5_554_000) < 30_000)
  }

  @Test func `a distance is the same both ways and short across the date line`() throws {
    let fiji = try place(-17, 179.9)
    let samoa = try place(-17, -179.9)
    #expect(fiji.distance(to: samoa) == samoa.distance(to: fiji))
    #expect(fiji.distance(to: samoa) < 22_000)
    let near = try place(38.7223, -9.1393)
    #expect(abs(near.distance(to: try place(38.7232, -9.1393)) - 100) < 1)
  }

  @Test func `a bearing starts along the great circle`() throws {
    let origin = try place(0, 0)
    #expect(origin.bearing(to: try place(1, 0)) == 0)
    #expect(try #require(origin.bearing(to: place(0, 1))).rounded() == 90)
    #expect(try #require(origin.bearing(to: place(-1, 0))).rounded() == 180)
    #expect(try #require(origin.bearing(to: place(0, -1))).rounded() == 270)
    #expect(origin.bearing(to: origin) == nil)
    // From Baghdad to Osaka, a well-known vector: the way starts at about 60 degrees.
    let way = try #require(place(35, 45).bearing(to: place(35, 135)))
    #expect(abs(way - 60.16) < 0.05)
  }
}
