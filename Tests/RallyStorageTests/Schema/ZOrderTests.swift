import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyStorage

@Suite struct ZOrderTests {
  @Test func `bits of both axes take turns, latitude first`() {
    #expect(ZOrder.interleaved(row: 0b11, column: 0b00) == 0b1010)
    #expect(ZOrder.interleaved(row: 0b00, column: 0b11) == 0b0101)
    #expect(ZOrder.interleaved(row: 0b10, column: 0b01) == 0b1001)
    let last = Int64(1) << 31 - 1
    #expect(ZOrder.interleaved(row: last, column: last) == Int64(1) << 62 - 1)
  }

  @Test func `the corners of the globe are the ends of the curve`() {
    #expect(ZOrder(.at(-90, -180)).value == 0)
    let east = Coordinate(latitudeUnits: 900_000_000, longitudeUnits: 1_799_999_999)!
    #expect(ZOrder(east).value > Int64(1) << 62 - 16)
    #expect(ZOrder(.at(0, 180)) == ZOrder(.at(0, -180)))
  }

  /// A place in this direction and distance, by the formula of a direct geodesic on the sphere.
  private func place(from start: Coordinate, bearing: Double, metres: Double) -> Coordinate {
    let (angle, turn) = (metres / Coordinate.earthRadius, bearing * .pi / 180)
    let latitude = start.latitude * .pi / 180
    let sine = sin(latitude) * cos(angle) + cos(latitude) * sin(angle) * cos(turn)
    let east = atan2(
      sin(turn) * sin(angle) * cos(latitude), cos(angle) - sin(latitude) * sine)
    var longitude = start.longitude + east * 180 / .pi
    if longitude < -180 { longitude += 360 }
    if longitude > 180 { longitude -= 360 }
    return .at(asin(min(1, max(-1, sine))) * 180 / .pi, longitude)
  }

  @Test(arguments: [1.0, 50, 3000, 50_000, 2_000_000, 12_000_000, 20_015_000])
  func `the stretches hold everything within the radius, everywhere on Earth`(
    _ radius: Double
  ) {
    var numbers = SeededGenerator(seed: 9)
    let poles = [Coordinate.at(90, 0), .at(-90, 10), .at(89.9999, -179.9999), .at(-89.97, 179.99)]
    let line = [Coordinate.at(0, -180), .at(10, 179.99999), .at(-65, -179.995), .at(0, 0)]
    let anywhere = (0..<40).map { _ in
      Coordinate.at(
        .random(in: -90...90, using: &numbers), .random(in: -180..<180, using: &numbers))
    }
    for centre in poles + line + anywhere {
      for limit in [4, 32] {
        let ranges = ZOrder.ranges(around: centre, radius: radius, limit: limit)
        #expect(ranges.count <= 4 * limit)
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
        for _ in 0..<40 {
          let far = Bool.random(using: &numbers) ? radius : .random(in: 0...radius, using: &numbers)
          let place = place(
            from: centre, bearing: .random(in: 0..<360, using: &numbers), metres: far)
          guard centre.distance(to: place) <= radius else { continue }
          let z = ZOrder(place).value
          #expect(
            ranges.contains { $0.contains(z) }, "\(place) is \(far) m from \(centre)")
        }
      }
    }
  }

  @Test func `a small circle reads a small part of the curve`() {
    var numbers = SeededGenerator(seed: 3)
    for _ in 0..<50 {
      let centre = Coordinate.at(
        .random(in: -60...60, using: &numbers), .random(in: -180..<180, using: &numbers))
      let ranges = ZOrder.ranges(around: centre, radius: 10_000, limit: 32)
      let share = ranges.reduce(0.0) { $0 + Double($1.count) } / 0x1p62
      // The box around it, of a globe that is unrolled to a rectangle.
      let box =
        (20_000 / 20_015_000) * (20_000 / cos(centre.latitude * .pi / 180) / 40_030_000)
      #expect(share < 8 * box, "\(centre)")
    }
  }
}
