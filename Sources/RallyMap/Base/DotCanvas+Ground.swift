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
          tile.vertices.withUnsafeBufferPointer { vertices in
            for shape in tile.shapes
            where shape.kind == style.kind && transform.meets(shape.low, shape.high) {
              pen.draw(shape, of: tile, vertices, transform, isWide: isWide)
            }
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
