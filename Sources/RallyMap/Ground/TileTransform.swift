/// Transforms the units of one tile to the dots of a viewport.
struct TileTransform {
  /// Dots per tile unit.
  let scale: Double
  /// Dot of the tile's north-west corner.
  let left: Double
  let top: Double
  /// The dots of the grid that the patch covers.
  let clip: DotRect

  /// Nil when the patch is out of view.
  init?(_ patch: MapGround.Patch, extent: Int, grid: GridTransform, worldDots: Double) {
    let origin = patch.address.origin
    scale = patch.address.side * worldDots / Double(extent)
    top = origin.y * worldDots - grid.originY
    // The copy of the world in which the patch is in view.
    let middle = (patch.low.x + patch.high.x) / 2
    guard
      let turn = grid.turns.min(by: {
        abs(middle * worldDots + grid.shift(turn: $0) - Double(grid.columns))
          < abs(middle * worldDots + grid.shift(turn: $1) - Double(grid.columns))
      })
    else { return nil }
    let shift = grid.shift(turn: turn)
    left = origin.x * worldDots + shift
    func dot(_ position: Double) -> Int { Int(min(max(position, -4), 1e6).rounded()) }
    let covered = DotRect(
      minX: dot(patch.low.x * worldDots + shift), minY: dot(patch.low.y * worldDots - grid.originY),
      maxX: dot(patch.high.x * worldDots + shift) - 1,
      maxY: dot(patch.high.y * worldDots - grid.originY) - 1)
    clip = grid.clip.intersection(covered)
    guard clip.minX <= clip.maxX, clip.minY <= clip.maxY else { return nil }
  }

  @inline(__always) func x(_ unit: Int16) -> Double { Double(unit) * scale + left }
  @inline(__always) func y(_ unit: Int16) -> Double { Double(unit) * scale + top }

  /// Whether the bounding box of a shape meets the clip, with a margin for wide lines.
  func meets(_ low: GroundTile.Vertex, _ high: GroundTile.Vertex) -> Bool {
    x(high.x) >= Double(clip.minX - 1) && x(low.x) <= Double(clip.maxX + 1)
      && y(high.y) >= Double(clip.minY - 1) && y(low.y) <= Double(clip.maxY + 1)
  }
}
