extension DotCanvas {
  /// Draws tiles over the world: each patch first clears what it covers.
  ///
  /// - Returns: The dots that the patches cover.
  mutating func draw(
    _ ground: MapGround, into fills: inout FillGrid, _ viewport: Viewport, _ grid: GridTransform,
    _ options: MapOptions
  ) -> [DotRect] {
    guard !ground.patches.isEmpty else { return [] }
    var covered: [DotRect] = []
    let styles = GroundLineStyle.styles(zoom: viewport.zoom, showsBorders: options.showsBorders)
    var crossings = ContiguousArray<FillGrid.Crossing>()
    var lines: [(tile: GroundTile, transform: TileTransform)] = []
    for patch in ground.patches {
      let extent = patch.tile?.extent ?? 4096
      guard
        let transform = TileTransform(
          patch, extent: extent, grid: grid, worldDots: viewport.worldDots)
      else { continue }
      covered.append(transform.clip)
      clear(transform.clip)
      fills.fill(transform.clip, with: patch.tile == nil ? .unreadable : .town)
      guard let tile = patch.tile else { continue }
      for kind in GroundKind.areas where viewport.zoom >= kind.areaFromZoom {
        let fill = MapFill(kind)
        for shape in tile.shapes
        where shape.kind == kind && transform.meets(shape.low, shape.high) {
          fills.fill(shape, of: tile, transform, with: fill, crossings: &crossings)
        }
      }
      lines.append((tile, transform))
    }
    for (tile, transform) in lines {
      for style in styles {
        guard let style else { continue }
        let isWide = style.isWide(at: viewport.zoom)
        draw(style.ink, clip: transform.clip) { pen in
          pen.dash = style.dash
          for shape in tile.shapes
          where shape.kind == style.kind && transform.meets(shape.low, shape.high) {
            pen.draw(shape, of: tile, transform, isWide: isWide)
          }
        }
      }
    }
    return covered
  }

  /// Clears the cells whose centre lies in a rectangle of dots.
  private mutating func clear(_ rect: DotRect) {
    let cells = cells(in: rect)
    for row in cells.rows {
      for column in cells.columns {
        inks[row * columns + column] = .sea
        dots[row * columns + column] = 0
      }
    }
  }
}

extension GroundKind {
  fileprivate static let areas: [GroundKind] = [.green, .water, .building]

  /// The lowest zoom at which areas of the class are filled.
  fileprivate var areaFromZoom: Double { self == .building ? 15 : MapGround.lowestZoom }
}

extension DotPen {
  /// Draws all parts of a line of a tile.
  ///
  /// - Parameter isWide: Two dots wide: every segment is drawn again one dot to the side.
  mutating func draw(
    _ shape: GroundTile.Shape, of tile: GroundTile, _ transform: TileTransform, isWide: Bool
  ) {
    let vertices = tile.vertices.span
    for part in shape.parts {
      let run = tile.parts[Int(part)]
      guard let first = run.first else { continue }
      phase = 0
      var x = Int(transform.x(vertices[Int(first)].x).rounded(.down))
      var y = Int(transform.y(vertices[Int(first)].y).rounded(.down))
      var isDrawn = false
      for index in run.dropFirst() {
        let nextX = Int(transform.x(vertices[Int(index)].x).rounded(.down))
        let nextY = Int(transform.y(vertices[Int(index)].y).rounded(.down))
        if nextX == x && nextY == y { continue }
        let start = phase
        line(fromX: x, y: y, toX: nextX, y: nextY)
        if isWide {
          phase = start
          let isFlat = abs(nextX - x) >= abs(nextY - y)
          let (dx, dy) = isFlat ? (0, 1) : (1, 0)
          line(fromX: x + dx, y: y + dy, toX: nextX + dx, y: nextY + dy)
        }
        isDrawn = true
        (x, y) = (nextX, nextY)
      }
      if !isDrawn { plot(x, y) }
    }
  }
}

/// Drawing style of one class of lines near by.
private struct GroundLineStyle {
  let kind: GroundKind
  let ink: MapInk
  /// The first `dash.on` of each `dash.period` dots are drawn.
  var dash: (on: Int, period: Int) = (1, 1)
  /// The lowest zoom at which the class is drawn: below it the lines would touch each other.
  let fromZoom: Double
  /// From this zoom on the line is two dots wide.
  var wideFromZoom = Double.infinity

  /// All classes of lines, in drawing order.
  private static let all = [
    GroundLineStyle(kind: .waterway, ink: .waterway, fromZoom: 11),
    GroundLineStyle(kind: .path, ink: .path, dash: (1, 2), fromZoom: 15.5),
    GroundLineStyle(kind: .service, ink: .path, fromZoom: 16),
    GroundLineStyle(kind: .rail, ink: .rail, dash: (2, 3), fromZoom: 11),
    GroundLineStyle(kind: .street, ink: .street, fromZoom: 13.25, wideFromZoom: 17.25),
    GroundLineStyle(kind: .secondary, ink: .secondaryRoad, fromZoom: 11, wideFromZoom: 16),
    GroundLineStyle(kind: .primary, ink: .primaryRoad, fromZoom: 9, wideFromZoom: 14.5),
    GroundLineStyle(kind: .motorway, ink: .motorway, fromZoom: 7, wideFromZoom: 13),
    GroundLineStyle(kind: .regionBoundary, ink: .state, dash: (1, 3), fromZoom: 9),
    GroundLineStyle(kind: .countryBoundary, ink: .border, dash: (2, 3), fromZoom: 9),
  ]

  /// The styles at a zoom, indexed by the raw value of their kind; nil for what is not drawn.
  static func styles(zoom: Double, showsBorders: Bool) -> [GroundLineStyle?] {
    var styles = [GroundLineStyle?](repeating: nil, count: GroundKind.allCases.count)
    for style in all where zoom >= style.fromZoom {
      let isBorder = style.kind >= .regionBoundary
      if showsBorders || !isBorder { styles[Int(style.kind.rawValue)] = style }
    }
    return styles
  }

  func isWide(at zoom: Double) -> Bool { zoom >= wideFromZoom }
}

extension MapFill {
  init(_ kind: GroundKind) {
    self =
      switch kind {
      case .green: .park
      case .water: .water
      case .building: .building
      default: .town
      }
  }
}
