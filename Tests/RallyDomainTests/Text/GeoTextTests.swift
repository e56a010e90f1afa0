import RallyDomain
import Testing

@Suite struct GeoTextTests {
  @Test(arguments: [
    (0, "here"), (9.9, "here"), (10, "10 m"), (144, "140 m"), (994, "990 m"), (996, "1.0 km"),
    (2340, "2.3 km"), (9949, "9.9 km"), (9960, "10 km"), (48_400, "48 km"),
    (9_130_400, "9,130 km"), (.infinity, "?"), (-1, "?"),
  ])
  func `a distance is as exact as somebody needs it`(metres: Double, text: String) {
    #expect(GeoText.distance(metres) == text)
  }

  @Test(arguments: [
    (500, "500 m"), (2000, "2 km"), (2340, "2.3 km"), (10_000, "10 km"), (5, "here"),
  ])
  func `a whole distance has no decimal of zero`(metres: Double, text: String) {
    #expect(GeoText.wholeDistance(metres) == text)
  }

  @Test(arguments: [
    (0, "N", "north"), (22, "N", "north"), (23, "NE", "north-east"), (90, "E", "east"),
    (202.6, "SW", "south-west"), (359, "N", "north"), (-45, "NW", "north-west"),
    (720, "N", "north"), (.nan, "N", "north"),
  ])
  func `a direction is one of eight winds`(degrees: Double, short: String, long: String) {
    #expect(GeoText.compass(degrees) == short)
    #expect(GeoText.direction(degrees) == long)
  }

  @Test(arguments: [
    (0.2, nil), (1.2, "walking 4 km/h"), (3, "running 11 km/h"), (22, "moving 79 km/h"),
    (250, "flying 900 km/h"), (300, "flying 1,080 km/h"), (.nan, nil),
  ])
  func `a speed says how somebody may be moving`(metresPerSecond: Double, text: String?) {
    #expect(GeoText.speed(metresPerSecond) == text)
  }
}
