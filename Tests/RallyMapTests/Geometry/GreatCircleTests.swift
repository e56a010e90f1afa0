import Foundation
import RallyMap
import Testing

struct GreatCircleTests {
  private let london = GeoPoint(latitude: 51.5074, longitude: -0.1278)
  private let tokyo = GeoPoint(latitude: 35.6762, longitude: 139.6503)

  @Test func `distances are those of published tables`() {
    // A quarter of a meridian: R·π/2.
    let equator = GeoPoint(latitude: 0, longitude: 20)
    let pole = GeoPoint(latitude: 90, longitude: 0)
    #expect(abs(equator.distance(to: pole) - 10_007_557) < 1)
    // Los Angeles to New York, Ed Williams' Aviation Formulary: 0.623585 radians.
    let angle = losAngeles.distance(to: newYork) / GeoPoint.earthRadius
    #expect(abs(angle - 0.623585) < 1e-6)
    #expect(abs(london.distance(to: tokyo) - 9_558_600) < 1000)
    // Vincenty's Flinders Peak to Buninyong, 54 972.271 m on the ellipsoid.
    #expect(abs(flinders.distance(to: buninyong) - 54_972) < 54_972 * 0.003)
    #expect(london.distance(to: london) == 0)
    // Neighbours: a millionth of a degree of latitude is 11 cm.
    let near = GeoPoint(latitude: london.latitude + 1e-6, longitude: london.longitude)
    #expect(abs(london.distance(to: near) - 0.1112) < 0.001)
  }

  @Test func `bearings are those of published tables`() {
    // Aviation Formulary: 1.150035 radians, 66 degrees.
    #expect(abs(losAngeles.bearing(to: newYork) * .pi / 180 - 1.150035) < 1e-6)
    // Vincenty: 306° 52' 05".
    #expect(abs(flinders.bearing(to: buninyong) - 306.868) < 0.2)
    let origin = GeoPoint(latitude: 0, longitude: 0)
    #expect(abs(origin.bearing(to: GeoPoint(latitude: 1, longitude: 0))) < 1e-9)
    #expect(abs(origin.bearing(to: GeoPoint(latitude: 0, longitude: 1)) - 90) < 1e-9)
    #expect(abs(origin.bearing(to: GeoPoint(latitude: -1, longitude: 0)) - 180) < 1e-9)
    #expect(abs(origin.bearing(to: GeoPoint(latitude: 0, longitude: -1)) - 270) < 1e-9)
  }

  @Test func `one arrives where the formulary says`() {
    // 100 nautical miles from Los Angeles on the radial of 66°: N34°37' W116°33'.
    let nauticalMile = GeoPoint.earthRadius * .pi / 180 / 60
    let found = losAngeles.destination(bearing: 66, distance: 100 * nauticalMile)
    #expect(abs(found.latitude - (34 + 37.0 / 60)) < 0.01)
    #expect(abs(found.longitude + (116 + 33.0 / 60)) < 0.01)
  }

  @Test func `a way out and its length lead back`() {
    var random = Lehmer(seed: 11)
    for _ in 0..<500 {
      let start = random.point()
      let distance = random.unit() * 15_000_000 + 1
      let bearing = random.unit() * 360
      let end = start.destination(bearing: bearing, distance: distance)
      #expect(abs(start.distance(to: end) - distance) < 0.01)
      #expect((-180..<180).contains(end.longitude) && (-90...90).contains(end.latitude))
    }
  }

  private let losAngeles = GeoPoint(latitude: 33.95, longitude: -118.4)
  private let newYork = GeoPoint(latitude: 40 + 38.0 / 60, longitude: -(73 + 47.0 / 60))
  private let flinders = GeoPoint(
    latitude: -(37 + 57 / 60.0 + 3.72030 / 3600), longitude: 144 + 25 / 60.0 + 29.52440 / 3600)
  private let buninyong = GeoPoint(
    latitude: -(37 + 39 / 60.0 + 10.15610 / 3600), longitude: 143 + 55 / 60.0 + 35.38390 / 3600)
}
