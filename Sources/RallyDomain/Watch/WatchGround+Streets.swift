import Glibc
import RallyMap
import RallyStreets
import RallyWatch
import RallyWire

extension WatchGround {
  /// How far around a cell's middle lines are cut, how finely they are written, and from which
  /// tiles.
  private struct Reach {
    /// Metres.
    let radius: Double
    /// Decimetres.
    let unit: UInt16
    let zoom: Double

    init(_ level: GridLevel) {
      switch level {
      case .oneKilometre: (radius, unit, zoom) = (1500, 1, 15)
      case .tenKilometres: (radius, unit, zoom) = (8000, 10, 12)
      }
    }
  }

  private static let metresPerDegree = 111_195.0
  /// Zoom 0 has so many metres in a dot at the equator.
  private static let metresPerDot = 156_543.034

  /// The lines around a cell, in the archives of this machine; it depends on the cell alone.
  ///
  /// - Returns: nil where there are none.
  @concurrent static func around(_ cell: GridCell, in tiles: StreetTiles) async -> WatchGround? {
    let reach = Reach(cell.level)
    let middle = cell.center
    let stretch = cos(middle.latitude * .pi / 180)
    let dots = 2 * reach.radius / (metresPerDot * stretch / pow(2, reach.zoom))
    let viewport = Viewport(
      center: GeoPoint(latitude: middle.latitude, longitude: middle.longitude), zoom: reach.zoom,
      columns: Int(dots / 2), rows: Int(dots / 4))
    guard let ground = await tiles.ground(for: viewport), !ground.patches.isEmpty else {
      return nil
    }
    var lines = WatchGround(around: middle, unit: reach.unit)
    // What says most comes first, as long as there is room.
    for kinds in priorities {
      for patch in ground.patches {
        guard let tile = patch.tile else { continue }
        for shape in tile.shapes {
          guard let kind = kinds[shape.kind] else { continue }
          for part in tile.parts[Int(shape.parts.lowerBound)..<Int(shape.parts.upperBound)] {
            let points = tile.vertices[Int(part.lowerBound)..<Int(part.upperBound)].map {
              offset(of: $0, in: tile, from: middle, stretch: stretch)
            }
            for line in cut(points, within: reach.radius, kind: kind, unit: reach.unit) {
              guard lines.add(line) else { return lines }
            }
          }
        }
      }
    }
    return lines.lines.isEmpty ? nil : lines
  }

  private static let priorities: [[GroundKind: Kind]] = [
    [.motorway: .road, .primary: .road, .countryBoundary: .border],
    [.water: .water, .secondary: .road], [.rail: .rail, .waterway: .water], [.street: .path],
    [.path: .path],
  ]

  /// Metres east and north.
  private static func offset(
    of vertex: GroundTile.Vertex, in tile: GroundTile, from middle: Coordinate, stretch: Double
  ) -> SIMD2<Double> {
    let (origin, side) = (tile.address.origin, tile.address.side)
    let point = WorldPoint(
      x: origin.x + Double(vertex.x) / Double(tile.extent) * side,
      y: origin.y + Double(vertex.y) / Double(tile.extent) * side
    ).geoPoint
    var turn = point.longitude - middle.longitude
    if turn > 180 { turn -= 360 } else if turn < -180 { turn += 360 }
    return SIMD2(
      turn * metresPerDegree * stretch, (point.latitude - middle.latitude) * metresPerDegree)
  }

  /// The parts of a line that are near, without points that add nothing.
  private static func cut(
    _ points: [SIMD2<Double>], within radius: Double, kind: Kind, unit: UInt16
  ) -> [Line] {
    let scale = 10 / Double(unit)
    let step = radius / 250
    var lines: [Line] = []
    var line: [SIMD2<Int16>] = []
    var last: SIMD2<Double>?
    func finish() {
      if line.count > 1 { lines.append(Line(kind: kind, points: line)) }
      (line, last) = ([], nil)
    }
    for (index, point) in points.enumerated() {
      guard max(abs(point.x), abs(point.y)) <= radius else {
        finish()
        continue
      }
      if let last, index < points.count - 1,
        max(abs(point.x - last.x), abs(point.y - last.y)) < step
      {
        continue
      }
      last = point
      line.append(
        SIMD2(Int16((point.x * scale).rounded()), Int16((point.y * scale).rounded())))
    }
    finish()
    return lines
  }
}
