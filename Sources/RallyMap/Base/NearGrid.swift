/// What is drawn near by where no tiles are: a grid, and rings round a place, with distances.
///
/// The coasts of the built-in world are off by up to two kilometres. Near by they would put a
/// person who stands on a quay into the river.
struct NearGrid {
  /// From this zoom on coasts are drawn faintly: their error is wider than a few dots.
  static let faintCoastFromZoom = 9.0
  /// From this zoom on the grid stands for coasts, and land looks like sea.
  static let lowestZoom = 10.5

  /// Distance of the lines and rings in metres; nil without a place to count from, when the grid
  /// only shows that the map moves.
  let metres: Double?
  /// Dots of the vertical lines and of the horizontal ones.
  let verticals: [Int]
  let horizontals: [Int]
  /// Where the dashes of horizontal lines begin, so that they do not move when panning.
  let horizontalPhase: Int
  /// The place, in dots from the grid's upper left corner.
  let center: (x: Double, y: Double)
  /// Dots between neighbouring lines.
  let step: Double

  /// Dots between lines at least, so that a usual map has about eight of them.
  private static let leastStep = 24.0

  /// Nil below `lowestZoom`.
  ///
  /// - Parameter place: Where distances count from.
  init?(_ viewport: Viewport, grid: GridTransform, place: GeoPoint?) {
    guard viewport.zoom >= Self.lowestZoom else { return nil }
    let (width, height) = (Double(grid.columns * 2), Double(grid.rows * 4))
    if let place, let metres = Self.round(viewport.metresPerDot(at: place) * Self.leastStep),
      case let position = viewport.position(of: place), position.column.isFinite,
      position.row.isFinite
    {
      center = (position.column * 2, position.row * 4)
      step = metres / viewport.metresPerDot(at: place)
      // From far away the distances say nothing, and the projection would falsify them.
      let reach = abs(center.x - width / 2) + abs(center.y - height / 2)
      self.metres = reach < step * 40 ? metres : nil
    } else {
      center = (-grid.originX, -grid.originY)
      step = Self.leastStep
      metres = nil
    }
    horizontalPhase = ((Int(grid.originX) % 4) + 4) % 4
    verticals = Self.lines(from: center.x, step: step, to: width)
    horizontals = Self.lines(from: center.y, step: step, to: height)
  }

  private static func lines(from center: Double, step: Double, to end: Double) -> [Int] {
    let first = Int((-center / step).rounded(.up))
    let last = Int(((end - 1 - center) / step).rounded(.down))
    guard first <= last else { return [] }
    return (first...last).map { Int((center + Double($0) * step).rounded(.down)) }
  }

  /// The next of 1, 2 and 5 times a power of ten that is not less.
  private static func round(_ metres: Double) -> Double? {
    guard metres.isFinite, metres > 0 else { return nil }
    var decade = 1.0
    while decade * 10 <= metres { decade *= 10 }
    return [1, 2, 5, 10].map { $0 * decade }.first { $0 >= metres }
  }
}

extension DotCanvas {
  mutating func draw(_ near: NearGrid, clip: DotRect) {
    draw(.grid, clip: clip) { pen in
      // One dot in every row of cells, and in every other column: fixed to the lattice.
      pen.dash = (1, 4)
      for dot in near.verticals {
        pen.phase = 0
        pen.line(fromX: dot, y: 1, toX: dot, y: clip.maxY)
      }
      for dot in near.horizontals {
        pen.phase = near.horizontalPhase
        pen.line(fromX: 0, y: dot, toX: clip.maxX, y: dot)
      }
    }
    guard near.metres != nil else { return }
    draw(.ring, clip: clip) { pen in
      pen.dash = (1, 2)
      for number in NearGrid.rings {
        pen.drawCircle(x: near.center.x, y: near.center.y, radius: near.step * Double(number))
      }
    }
  }
}

extension NearGrid {
  /// The rings round the place, in steps of the grid.
  static let rings = [1, 2, 4]
}
