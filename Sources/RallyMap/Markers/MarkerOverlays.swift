import Foundation

extension DotCanvas {
  /// Draws a marker's trail and its accuracy circle, beneath the glyph.
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
    let radius = marker.areaRadius(in: viewport)
    guard showsArea, radius >= Self.leastRadius, radius < 1e6 else { return }
    let center = projection.position(of: WorldPoint(marker.point))
    let (x, y) = (center.column * 2, center.row * 4)
    // A circle around the whole view is drawn too, though nothing of it is visible; that is cheap.
    guard x + radius >= 0, x - radius <= Double(columns * 2), y + radius >= 0,
      y - radius <= Double(rows * 4)
    else { return }
    draw(.area, tag: marker.tag, clip: clip) { pen in
      pen.dash = (1, 3)
      pen.drawCircle(x: x, y: y, radius: radius)
    }
  }

  /// Minimum radius in dots at which the circle lies outside of the glyph's own cell.
  static let leastRadius = 5.0
}

extension MapMarker {
  /// The accuracy radius in dots; 0 without one.
  fileprivate func areaRadius(in viewport: Viewport) -> Double {
    guard let accuracyMetres, accuracyMetres.isFinite else { return 0 }
    let dots = accuracyMetres / viewport.metresPerDot(at: point)
    return dots.isFinite ? dots : 0
  }

  /// Whether the marker has a trail or a visible accuracy circle.
  func hasTraces(in viewport: Viewport) -> Bool {
    !trail.isEmpty || areaRadius(in: viewport) >= DotCanvas.leastRadius
  }
}

extension DotPen {
  /// Draws a path of cell positions. A step of more than half the world wraps around and is
  /// skipped.
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

  mutating func drawCircle(x: Double, y: Double, radius: Double) {
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
