import Glibc

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
      for third in TrailThird.all {
        draw(third.ink, tag: marker.tag, clip: clip) { pen in
          pen.dash = third.dash
          pen.drawPath(points[third.steps(of: points.count)], halfWorld: viewport.worldDots / 4)
        }
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
    cover(x: x, y: y, radius: radius, tag: marker.tag)
    draw(.area, tag: marker.tag, clip: clip) { pen in
      pen.dash = (1, 3)
      pen.drawCircle(x: x, y: y, radius: radius)
      guard let progress = marker.progress, progress > 0 else { return }
      pen.dash = (1, 1)
      pen.drawCircle(x: x, y: y, radius: radius, from: -.pi / 2, share: min(progress, 1))
    }
  }

  /// Lays a disc over all cells whose centre it covers.
  private mutating func cover(x: Double, y: Double, radius: Double, tag: UInt8) {
    for row in 0..<rows {
      let dy = Double(row * 4 + 2) - y
      guard abs(dy) < radius else { continue }
      let half = (radius * radius - dy * dy).squareRoot()
      // Columns whose centre 2c + 1 lies in x - half ... x + half.
      let first = max(Int(((x - half - 1) / 2).rounded(.up)), 0)
      let last = min(Int(((x + half - 1) / 2).rounded(.down)), columns - 1)
      guard first <= last else { continue }
      for column in first...last { discs[row * columns + column] = tag }
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

/// A part of a trail: the older, the sparser.
private struct TrailThird {
  let ink: MapInk
  let dash: (on: Int, period: Int)
  private let number: Int

  static let all = [
    TrailThird(ink: .oldTrail, dash: (1, 5), number: 0),
    TrailThird(ink: .trail, dash: (1, 3), number: 1),
    TrailThird(ink: .trail, dash: (1, 2), number: 2),
  ]

  /// Its points, with the first one of the next part.
  func steps(of count: Int) -> Range<Int> {
    let last = count - 1
    return last * number / 3..<last * (number + 1) / 3 + 1
  }
}

extension DotPen {
  /// Draws a path of cell positions. A step of more than half the world wraps around and is
  /// skipped.
  fileprivate mutating func drawPath(
    _ points: ArraySlice<(column: Double, row: Double)>, halfWorld: Double
  ) {
    for (from, to) in zip(points, points.dropFirst())
    where abs(from.column - to.column) < halfWorld && from.row.isFinite && to.row.isFinite {
      line(
        fromX: Int((from.column * 2).rounded(.down)), y: Int((from.row * 4).rounded(.down)),
        toX: Int((to.column * 2).rounded(.down)), y: Int((to.row * 4).rounded(.down)))
    }
  }

  /// Draws a circle, or a part of it clockwise.
  ///
  /// - Parameters:
  ///   - start: Where it begins, radians clockwise from east.
  ///   - share: How much of it is drawn, 0...1.
  mutating func drawCircle(
    x: Double, y: Double, radius: Double, from start: Double = 0, share: Double = 1
  ) {
    let count = min(max(Int(radius), 16), 128)
    func dot(_ turn: Double) -> (x: Int, y: Int) {
      let angle = start + turn * 2 * .pi
      return (
        Int((x + cos(angle) * radius).rounded(.down)), Int((y + sin(angle) * radius).rounded(.down))
      )
    }
    var last = dot(0)
    for step in 1...count {
      let next = dot(share * Double(step) / Double(count))
      line(fromX: last.x, y: last.y, toX: next.x, y: next.y)
      last = next
    }
  }
}
