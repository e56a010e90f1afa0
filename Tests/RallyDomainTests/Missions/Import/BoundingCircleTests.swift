import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

@Suite struct BoundingCircleTests {
  @Test func `every point lies inside, and two points lie on its edge`() throws {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<200 {
      let points = try (0..<Int.random(in: 2...30, using: &generator)).map { _ in
        try #require(
          Coordinate(
            latitude: Double.random(in: 40...41, using: &generator),
            longitude: Double.random(in: -3...(-1), using: &generator)))
      }
      let circle = try #require(BoundingCircle(around: points))
      let distances = points.map { circle.centre.distance(to: $0) }
      #expect(distances.allSatisfy { $0 <= circle.radiusMetres })
      // No circle is smaller than half of the widest distance, and this one is near the smallest.
      let widest = points.map { a in points.map { a.distance(to: $0) }.max() ?? 0 }.max() ?? 0
      #expect(circle.radiusMetres <= widest * 0.68)
    }
  }

  @Test func `the date line and a pole are no borders`() throws {
    let line = try [179.99, -179.99].map {
      try #require(Coordinate(latitude: 10, longitude: $0))
    }
    let across = try #require(BoundingCircle(around: line))
    #expect(abs(abs(across.centre.longitude) - 180) < 1e-6)
    #expect(across.radiusMetres < 1200)
    let around = try [0.0, 90, 180, -90].map {
      try #require(Coordinate(latitude: 89.9, longitude: $0))
    }
    let pole = try #require(BoundingCircle(around: around))
    #expect(pole.centre.latitude > 89.99)
  }

  @Test func `opposite places have no middle`() throws {
    let ends = try [(0.0, 0.0), (0, 180)].map {
      try #require(Coordinate(latitude: $0.0, longitude: $0.1))
    }
    #expect(BoundingCircle(around: ends) == nil)
    #expect(BoundingCircle(around: []) == nil)
  }
}
