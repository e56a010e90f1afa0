import Foundation

extension DotCanvas {
  /// Draws what belongs to a marker beneath its glyph: where it has been, and the circle within which it lies.
  mutating func drawTraces(
    of marker: MapMarker, showsArea: Bool, viewport: Viewport, projection: CellProjection,
    clip: DotRect
  ) {
    if !marker.trail.isEmpty {
      let points = (marker.trail + [marker.point]).map { point in
        projection.position(of: WorldPoint(point))
      }
      draw(.trail, tag: marker.tag, clip: clip) { pen in
        pen.dash = (1, 2)
        pen.drawPath(points, halfWorld: viewport.worldDots / 4)
      }
    }
    guard showsArea, let radius = marker.accuracyMetres, radius.isFinite else { return }
    let metresPerDot = viewport.metresPerDot(at: marker.point)
    let dots = radius / metresPerDot
    let center = projection.position(of: WorldPoint(marker.point))
    let (x, y) = (center.column * 2, center.row * 4)
    // Smaller than the glyph it says nothing; when the whole view lies within it there is no line to see.
    guard dots >= Self.leastRadius, x.isFinite, y.isFinite, x + dots >= 0,
      x - dots <= Double(columns * 2),
      y + dots >= 0, y - dots <= Double(rows * 4), dots < 1e6
    else { return }
    draw(.area, tag: marker.tag, clip: clip) { pen in
      pen.dash = (1, 3)
      pen.drawCircle(x: x, y: y, radius: dots)
    }
  }

  /// In dots: from here on the circle goes round the glyph's own cell.
  static let leastRadius = 5.0
}

extension Viewport {
  /// The length of one dot in metres at a place's latitude.
  func metresPerDot(at point: GeoPoint) -> Double {
    156_543.033_928_040_97 * cos(min(abs(point.latitude), 85) * .pi / 180) / exp2(zoom)
  }
}

extension DotPen {
  /// Draws a path of cell positions; a step of more than half the world goes the other way round and is
  /// left out.
  fileprivate mutating func drawPath(
    _ points: [(column: Double, row: Double)], halfWorld: Double
  ) {
    for (from, to) in zip(points, points.dropFirst())
    where abs(from.column - to.column) < halfWorld && from.row.isFinite && to.row.isFinite {
      line(
        fromX: Int((from.column * 2).rounded(.down)), y: Int((from.row * 4).rounded(.down)),
        toX: Int((to.column * 2).rounded(.down)), y: Int((to.row * 4).rounded(.down)))
    }
  }

  fileprivate mutating func drawCircle(x: Double, y: Double, radius: Double) {
    let count = min(max(Int(radius), 16), 128)
    var last = (x: Int((x + radius).rounded(.down)), y: Int(y.rounded(.down)))
    for step in 1...count {
      let angle = Double(step) / Double(count) * 2 * .pi
      let next = (
        x: Int((x + cos(angle) * radius).rounded(.down)),
        y: Int((y + sin(angle) * radius).rounded(.down))
      )
      line(fromX: last.x, y: last.y, toX: next.x, y: next.y)
      last = next
    }
  }
}
