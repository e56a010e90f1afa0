/// The place of a tile in the pyramid of web map tiles. There are 2^zoom columns and as many rows,
/// counted from 180° W and from the north edge of the Mercator square (the XYZ scheme).
public struct TileAddress: Hashable, Sendable {
  /// 0...`maximumZoom`.
  public let zoom: Int
  /// 0..<2^zoom, to the east.
  public let x: Int
  /// 0..<2^zoom, to the south.
  public let y: Int

  /// Above this no archive has tiles, and 2^zoom squared no longer fits a tile's number.
  public static let maximumZoom = 24

  /// Nil for an address outside of the pyramid.
  public init?(zoom: Int, x: Int, y: Int) {
    guard (0...Self.maximumZoom).contains(zoom) else { return nil }
    let side = 1 << zoom
    guard (0..<side).contains(x), (0..<side).contains(y) else { return nil }
    (self.zoom, self.x, self.y) = (zoom, x, y)
  }

  /// The tile that contains a point.
  public init(containing point: WorldPoint, zoom: Int) {
    let zoom = min(max(zoom, 0), Self.maximumZoom)
    let side = Double(1 << zoom)
    func index(_ share: Double) -> Int {
      share.isFinite ? Int(min(max((share * side).rounded(.down), 0), side - 1)) : 0
    }
    self.zoom = zoom
    x = index(point.x)
    y = index(point.y)
  }

  /// The tile of a lower zoom that contains this one.
  ///
  /// - Parameter zoom: 0...`self.zoom`.
  public func ancestor(zoom: Int) -> TileAddress {
    let steps = self.zoom - min(max(zoom, 0), self.zoom)
    return TileAddress(unchecked: self.zoom - steps, x >> steps, y >> steps)
  }

  private init(unchecked zoom: Int, _ x: Int, _ y: Int) {
    (self.zoom, self.x, self.y) = (zoom, x, y)
  }

  /// The tile's north-west corner.
  public var origin: WorldPoint {
    WorldPoint(x: Double(x) / Double(1 << zoom), y: Double(y) / Double(1 << zoom))
  }

  /// The tile's width and height as a share of the Mercator square.
  public var side: Double { 1 / Double(1 << zoom) }
}

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
