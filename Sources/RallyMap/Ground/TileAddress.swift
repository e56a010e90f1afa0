/// The place of a tile in the pyramid of web map tiles: 2^zoom columns and as many rows, counted
/// from 180° W and from the north edge of the Mercator square (the XYZ scheme).
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
