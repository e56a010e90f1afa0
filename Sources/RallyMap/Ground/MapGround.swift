/// The tiles that lie under a view, from one archive or several.
public struct MapGround: Equatable, Sendable {
  /// One tile, and the part of it that its archive covers.
  public struct Patch: Sendable {
    /// What is drawn; nil where the tile could not be read.
    public let tile: GroundTile?
    public let address: TileAddress
    /// North-west and south-east corner of what the patch covers; within the tile.
    public let low: WorldPoint
    public let high: WorldPoint

    /// - Parameters:
    ///   - tile: nil for a damaged tile, which is drawn hatched.
    ///   - low: North-west corner of the archive's area.
    ///   - high: South-east corner of the archive's area.
    public init(_ tile: GroundTile?, at address: TileAddress, low: WorldPoint, high: WorldPoint) {
      let origin = address.origin
      self.tile = tile
      self.address = address
      self.low = WorldPoint(x: max(low.x, origin.x), y: max(low.y, origin.y))
      self.high = WorldPoint(
        x: min(high.x, origin.x + address.side), y: min(high.y, origin.y + address.side))
    }
  }

  /// In drawing order: a later patch covers an earlier one.
  public var patches: [Patch]
  /// Differs whenever the patches differ; 0 for no ground.
  public var revision: Int
  /// Who has to be named where the tiles are shown, such as `© OpenStreetMap`; empty for nobody.
  public var attribution: String

  public init(patches: [Patch] = [], revision: Int = 0, attribution: String = "") {
    (self.patches, self.revision, self.attribution) = (patches, revision, attribution)
  }

  /// Grounds of one source are equal when their revisions are.
  public static func == (left: MapGround, right: MapGround) -> Bool {
    left.revision == right.revision
  }

  /// Only the built-in world.
  public static let none = MapGround()

  /// The lowest zoom at which tiles are drawn; below it the built-in world is as good.
  public static let lowestZoom = 9.0
}

extension Viewport {
  /// The tiles of a zoom level that intersect the grid, from the centre outwards.
  ///
  /// - Parameter zoom: 0...`TileAddress.maximumZoom`; at most the rounded zoom of the view, so that
  ///   their number is bounded by the size of the grid.
  public func tiles(zoom: Int) -> [TileAddress] {
    let side = Double(1 << max(zoom, 0))
    let origin = origin
    let width = Double(columns * 2) / worldDots
    let height = Double(rows * 4) / worldDots
    let west = Double(origin.column * 2) / worldDots
    let north = Double(origin.row * 4) / worldDots
    func indices(_ low: Double, _ length: Double) -> ClosedRange<Int> {
      let first = Int((low * side).rounded(.down))
      return first...max(first, Int(((low + length) * side).rounded(.up)) - 1)
    }
    let middle = WorldPoint(center)
    var found: [(distance: Double, address: TileAddress)] = []
    for y in indices(north, height) {
      for x in indices(west, min(width, 1)) {
        let wrapped = ((x % Int(side)) + Int(side)) % Int(side)
        guard let address = TileAddress(zoom: zoom, x: wrapped, y: y) else { continue }
        let dx = (Double(x) + 0.5) / side - middle.x
        let dy = (Double(y) + 0.5) / side - middle.y
        found.append((dx * dx + dy * dy, address))
      }
    }
    return found.sorted { $0.distance < $1.distance }.map(\.address)
  }
}
