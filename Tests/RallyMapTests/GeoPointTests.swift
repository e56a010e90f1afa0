import RallyMap
import Testing

struct GeoPointTests {
  @Test func `a point is what it was made of`() {
    let lisbon = GeoPoint(latitude: 38.72, longitude: -9.14)
    #expect(lisbon == GeoPoint(latitude: 38.72, longitude: -9.14))
  }
}
