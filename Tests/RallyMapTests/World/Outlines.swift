import Foundation

@testable import RallyMap

/// The outlines of all countries, put together anew from the blob's arcs: what hit tests are held
/// against.
struct Outlines {
  struct Ring {
    let country: Int
    let vertices: [(x: Double, y: Double)]
    let minX: Double
    let minY: Double
    let maxX: Double
    let maxY: Double

    init(country: Int, vertices: [(x: Double, y: Double)]) {
      self.country = country
      self.vertices = vertices
      minX = vertices.map(\.x).min() ?? 0
      maxX = vertices.map(\.x).max() ?? 0
      minY = vertices.map(\.y).min() ?? 0
      maxY = vertices.map(\.y).max() ?? 0
    }

    /// Beside its box a closed line winds round nothing.
    func mayHold(x: Double, y: Double) -> Bool { minX <= x && x <= maxX && minY <= y && y <= maxY }
  }

  let rings: [Ring]

  init(_ world: WorldMap) throws {
    let test = try world.hitTest()
    rings = test.rings.rings.map { ring in
      var vertices: [(x: Double, y: Double)] = []
      for arc in test.rings.arcs[ring.arcs] {
        let chunks = test.level.chunks[test.level.chunks(ofArc: Int(arc < 0 ? ~arc : arc))]
        let indices = chunks.flatMap { Array($0.points.dropFirst($0 == chunks.first ? 0 : 1)) }
        let points = indices.map { (x: Double(test.level.xs[$0]), y: Double(test.level.ys[$0])) }
        vertices += (arc < 0 ? points.reversed() : points).dropFirst(vertices.isEmpty ? 0 : 1)
      }
      return Ring(country: Int(ring.country), vertices: vertices)
    }
  }

  /// The countries whose outlines wind round a place, by the sum of angles.
  func countries(x: Double, y: Double) -> Set<Int> {
    var sums: [Int: Double] = [:]
    for ring in rings where ring.mayHold(x: x, y: y) {
      var (ax, ay) = ((ring.vertices.last?.x ?? 0) - x, (ring.vertices.last?.y ?? 0) - y)
      var sum = 0.0
      for vertex in ring.vertices {
        let (bx, by) = (vertex.x - x, vertex.y - y)
        sum += atan2(ax * by - ay * bx, ax * bx + ay * by)
        (ax, ay) = (bx, by)
      }
      sums[ring.country, default: 0] += sum
    }
    return Set(sums.filter { ($0.value / (2 * .pi)).rounded() != 0 }.keys)
  }

  /// Metres from a place to the nearest point of a country's outlines.
  func distance(of country: Int, from point: GeoPoint) -> Double {
    let place = WorldPoint(point)
    let (x, y) = (place.x * WorldUnits.span, place.y * WorldUnits.span)
    var best = Double.infinity
    for ring in rings where ring.country == country {
      for (from, to) in zip(ring.vertices, ring.vertices.dropFirst()) {
        for step in 0...20 {
          let share = Double(step) / 20
          let (px, py) = (from.x + share * (to.x - from.x), from.y + share * (to.y - from.y))
          best = min(best, hypot(px - x, py - y))
        }
      }
    }
    return best * 2 * .pi * GeoPoint.earthRadius / WorldUnits.span * cos(point.latitude * .pi / 180)
  }
}
