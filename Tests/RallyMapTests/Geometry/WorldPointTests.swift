import RallyMap
import Testing

struct WorldPointTests {
  @Test func `places lie on the Mercator square where others put them`() {
    let ghent = WorldPoint(GeoPoint(latitude: 51.05, longitude: 3.72))
    #expect(abs(ghent.x - 0.510333333) < 1e-9 && abs(ghent.y - 0.334556702) < 1e-9)
    let sydney = WorldPoint(GeoPoint(latitude: -33.8688, longitude: 151.2093))
    #expect(abs(sydney.x - 0.920025833) < 1e-9 && abs(sydney.y - 0.600092251) < 1e-9)
    // The tile of Shibuya at zoom 18 in OpenStreetMap's numbering.
    let shibuya = WorldPoint(GeoPoint(latitude: 35.6590699, longitude: 139.7006793))
    #expect(Int(shibuya.x * 262_144) == 232_798 && Int(shibuya.y * 262_144) == 103_246)
  }

  @Test func `the poles are held at the square's edge`() {
    #expect(WorldPoint(GeoPoint(latitude: 90, longitude: 0)).y == 0)
    #expect(WorldPoint(GeoPoint(latitude: -90, longitude: 0)).y == 1)
    let edge = WorldPoint(x: 0.5, y: 0).geoPoint
    #expect(abs(edge.latitude - WorldPoint.maximumLatitude) < 1e-9)
  }

  @Test func `there and back is the same place`() {
    var random = Lehmer(seed: 3)
    for _ in 0..<1000 {
      let point = random.point()
      let back = WorldPoint(point).geoPoint
      #expect(abs(back.latitude - point.latitude) < 1e-9)
      #expect(abs(back.longitude - point.longitude) < 1e-9)
    }
  }

  @Test func `longitudes turn round the earth`() {
    #expect(
      GeoPoint(latitude: 95, longitude: 190).normalized == GeoPoint(latitude: 90, longitude: -170))
    #expect(
      GeoPoint(latitude: 0, longitude: -541).normalized == GeoPoint(latitude: 0, longitude: 179))
    #expect(GeoPoint(latitude: 0, longitude: 180).normalized.longitude == -180)
    #expect(GeoPoint(latitude: 0, longitude: -180.000000000000001).normalized.longitude == -180)
    #expect(WorldPoint(x: 1.25, y: 0.5).geoPoint.longitude == -90)
  }
}
