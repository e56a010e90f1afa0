import Glibc

/// The part of the world that a grid of cells shows. A value type: panning and zooming return new
/// viewports.
///
/// The world is a square of 256·2^zoom dots in web Mercator. A cell is 2 dots wide and 4 high,
/// which is about square on a terminal. The grid is aligned to a lattice of whole cells that is
/// fixed to the world, so that coasts keep their dots when panning. `center` is exact; what is
/// drawn is within half a cell of it.
///
/// The world is drawn once: a view that is wider than the world has empty margins. Panning wraps
/// around east and west and stops at the square's north and south edges.
public struct Viewport: Hashable, Sendable {
  /// The point at the centre of the grid.
  public let center: GeoPoint
  /// log2 of the world's width in units of 256 dots, `lowestZoom`...`maximumZoom`; may be
  /// fractional.
  public let zoom: Double
  /// The grid's width in cells, at least 1.
  public let columns: Int
  /// The grid's height in cells, at least 1.
  public let rows: Int

  /// The highest zoom: about half a metre per dot.
  public static let maximumZoom = 18.0

  /// The inhabited part of the square's height (0...1 from the north): Svalbard to Cape Horn.
  private static let inhabited = (north: 0.135, south: 0.70)

  /// Centre longitude of the whole-world view: its edge lies in the Bering Strait, so no country is
  /// cut.
  private static let wholeWorldLongitude = 11.0

  /// Clamps zoom and centre to their ranges. A non-finite centre becomes the middle of the world, a
  /// non-finite zoom the lowest.
  public init(center: GeoPoint, zoom: Double, columns: Int, rows: Int) {
    self.init(center: WorldPoint(center.normalized), zoom: zoom, columns: columns, rows: rows)
  }

  private init(center: WorldPoint, zoom: Double, columns: Int, rows: Int) {
    self.columns = max(columns, 1)
    self.rows = max(rows, 1)
    let lowest = Self.lowestZoom(columns: self.columns, rows: self.rows)
    self.zoom = min(max(zoom.isFinite ? zoom : lowest, lowest), Self.maximumZoom)
    let height = Double(self.rows * 4) / Self.worldDots(zoom: self.zoom)
    let center = center.x.isFinite && center.y.isFinite ? center : WorldPoint(x: 0.5, y: 0.5)
    let y = height >= 1 ? 0.5 : min(max(center.y, height / 2), 1 - height / 2)
    self.center = WorldPoint(x: center.x, y: y).geoPoint
  }

  /// The zoom at which the inhabited world just fits the grid.
  public static func lowestZoom(columns: Int, rows: Int) -> Double {
    let wide = Double(max(columns, 1) * 2)
    let high = Double(max(rows, 1) * 4) / (inhabited.south - inhabited.north)
    return log2(min(wide, high) / 256)
  }

  /// The whole-world view: lowest zoom, centred so that no country is cut at the edge.
  public static func wholeWorld(columns: Int, rows: Int) -> Viewport {
    let middle = (inhabited.north + inhabited.south) / 2
    let x = WorldPoint(GeoPoint(latitude: 0, longitude: wholeWorldLongitude)).x
    return Viewport(
      center: WorldPoint(x: x, y: middle),
      zoom: lowestZoom(columns: columns, rows: rows), columns: columns, rows: rows)
  }

  /// The lowest zoom for this grid.
  public var lowestZoom: Double { Self.lowestZoom(columns: columns, rows: rows) }

  /// Whether the view is at its lowest zoom.
  public var isWholeWorld: Bool { zoom <= lowestZoom + 1e-9 }

  static func worldDots(zoom: Double) -> Double { 256 * exp2(zoom) }

  /// The width and height of the world in dots.
  public var worldDots: Double { Self.worldDots(zoom: zoom) }

  /// The length of one dot in metres at the centre's latitude.
  public var metresPerDot: Double { metresPerDot(at: center) }

  /// The length of one dot in metres at a point's latitude, clamped to the Mercator square.
  public func metresPerDot(at point: GeoPoint) -> Double {
    let latitude = min(abs(point.latitude), WorldPoint.maximumLatitude)
    return Self.equatorMetres / 256 * cos(latitude * .pi / 180) / exp2(zoom)
  }

  /// Length of the equator in web Mercator (WGS 84 radius, 6,378,137 m).
  private static let equatorMetres = 2 * Double.pi * 6_378_137
}

// MARK: Cells

extension Viewport {
  /// The lattice cell at the grid's upper left corner.
  var origin: (column: Int, row: Int) {
    let middle = WorldPoint(center)
    return (
      Int((middle.x * worldDots / 2 - Double(columns) / 2).rounded()),
      Int((middle.y * worldDots / 4 - Double(rows) / 2).rounded())
    )
  }

  /// The columns that the world covers, before clipping to the grid: exactly one world wide.
  var worldColumns: Range<Double> {
    let middle = Double(columns) / 2
    let half = worldDots / 4
    return (middle - half)..<(middle + half)
  }

  /// Position of a point in cells from the upper left corner, on the grid or off it; (0.5, 0.5) is
  /// the centre of the first cell. Uses the copy of the world that is visible.
  public func position(of point: GeoPoint) -> (column: Double, row: Double) {
    position(of: WorldPoint(point))
  }

  func position(of point: WorldPoint) -> (column: Double, row: Double) {
    CellProjection(self).position(of: point)
  }

  /// Position of a point on the grid; nil when it is out of view.
  public func cell(of point: GeoPoint) -> (column: Double, row: Double)? {
    let found = position(of: point)
    guard found.column >= 0, found.column < Double(columns), found.row >= 0,
      found.row < Double(rows)
    else { return nil }
    return found
  }

  /// The point at a grid position; nil in the margins beyond the world.
  public func point(atColumn column: Double, row: Double) -> GeoPoint? {
    guard worldColumns.contains(column) else { return nil }
    let world = worldPoint(atColumn: column, row: row)
    guard (0...1).contains(world.y) else { return nil }
    return world.geoPoint
  }

  /// The point at the centre of a cell; nil in the margins beyond the world.
  public func point(inColumn column: Int, row: Int) -> GeoPoint? {
    point(atColumn: Double(column) + 0.5, row: Double(row) + 0.5)
  }

  private func worldPoint(atColumn column: Double, row: Double) -> WorldPoint {
    let origin = origin
    return WorldPoint(
      x: (Double(origin.column) + column) * 2 / worldDots,
      y: (Double(origin.row) + row) * 4 / worldDots)
  }
}

// MARK: Moves

extension Viewport {
  /// The view moved by cells, positive to the east and south. Wraps at the antimeridian, stops at
  /// the north and south edges.
  public func panned(byColumns columns: Double, rows: Double) -> Viewport {
    let middle = worldPoint(
      atColumn: Double(self.columns) / 2 + columns, row: Double(self.rows) / 2 + rows)
    return Viewport(center: middle, zoom: zoom, columns: self.columns, rows: self.rows)
  }

  /// The view zoomed in by `steps` doublings, or out when negative.
  ///
  /// - Parameter cell: The cell whose geographic position is kept, within a cell; nil keeps the
  ///   centre.
  public func zoomed(by steps: Double, around cell: (column: Int, row: Int)? = nil) -> Viewport {
    guard let cell else {
      return Viewport(center: center, zoom: zoom + steps, columns: columns, rows: rows)
    }
    let target = Viewport(center: center, zoom: zoom + steps, columns: columns, rows: rows)
    let column = Double(cell.column) + 0.5
    let row = Double(cell.row) + 0.5
    let held = worldPoint(atColumn: column, row: row)
    let middle = WorldPoint(
      x: held.x - (column - Double(columns) / 2) * 2 / target.worldDots,
      y: held.y - (row - Double(rows) / 2) * 4 / target.worldDots)
    return Viewport(center: middle, zoom: target.zoom, columns: columns, rows: rows)
  }

  /// The same grid with another centre.
  ///
  /// Centre and zoom are set together: setting a centre near a pole first would clamp it to the
  /// range of the old zoom.
  ///
  /// - Parameters:
  ///   - place: The new centre, or as near to it as the world's edge allows.
  ///   - zoom: nil keeps the current zoom.
  public func showing(_ place: GeoPoint, zoom: Double? = nil) -> Viewport {
    Viewport(center: place, zoom: zoom ?? self.zoom, columns: columns, rows: rows)
  }

  /// The view on a grid of another size; a whole-world view stays one.
  public func resized(columns: Int, rows: Int) -> Viewport {
    guard columns != self.columns || rows != self.rows else { return self }
    let lowest = Self.lowestZoom(columns: columns, rows: rows)
    return Viewport(
      center: center, zoom: isWholeWorld ? lowest : zoom, columns: columns, rows: rows)
  }

  /// The highest zoom that shows all points, with a margin of a tenth of the grid on each side.
  ///
  /// - Parameter maximumZoom: Upper limit of the zoom, for a single point or points close together.
  public func fitting(_ points: [GeoPoint], maximumZoom: Double = 12) -> Viewport {
    let worlds = points.map { WorldPoint($0) }.filter { $0.x.isFinite && $0.y.isFinite }
    guard let firstY = worlds.first?.y else { return self }
    // The shortest longitude interval that contains all points is the complement of the widest gap.
    let xs = worlds.map(\.x).sorted()
    var start = xs[0]
    var width = xs[xs.count - 1] - xs[0]
    for (left, right) in zip(xs, xs.dropFirst()) where 1 - (right - left) < width {
      start = right
      width = 1 - (right - left)
    }
    let north = worlds.reduce(firstY) { min($0, $1.y) }
    let south = worlds.reduce(firstY) { max($0, $1.y) }
    let scale = min(
      Double(columns * 2) * 0.8 / max(width * 256, 1e-12),
      Double(rows * 4) * 0.8 / max((south - north) * 256, 1e-12))
    return Viewport(
      center: WorldPoint(x: start + width / 2, y: (north + south) / 2),
      zoom: min(log2(scale), maximumZoom), columns: columns, rows: rows)
  }
}

// MARK: - Projection

/// Projects world points to cells, with the constants of one viewport precomputed.
struct CellProjection {
  private let originColumn: Double
  private let originRow: Double
  private let worldWidth: Double
  private let worldHeight: Double
  private let firstColumn: Double
  let columns: Int
  let rows: Int

  init(_ viewport: Viewport) {
    let origin = viewport.origin
    originColumn = Double(origin.column)
    originRow = Double(origin.row)
    worldWidth = viewport.worldDots / 2
    worldHeight = viewport.worldDots / 4
    firstColumn = viewport.worldColumns.lowerBound
    columns = viewport.columns
    rows = viewport.rows
  }

  /// Position in cells from the upper left corner, in the visible copy of the world.
  func position(of point: WorldPoint) -> (column: Double, row: Double) {
    (column(of: point), row(of: point))
  }

  private func column(of point: WorldPoint) -> Double {
    let column = point.x * worldWidth - originColumn
    let turns = ((column - firstColumn) / worldWidth).rounded(.down)
    return column - turns * worldWidth
  }

  private func row(of point: WorldPoint) -> Double { point.y * worldHeight - originRow }

  /// The cell that contains a point; nil when it is not on the grid.
  func cell(of point: WorldPoint) -> (column: Int, row: Int)? {
    // The row first: it takes no division, and most of the world is above or below a near view.
    let row = row(of: point)
    guard row >= 0, row < Double(rows) else { return nil }
    let column = column(of: point)
    guard column >= 0, column < Double(columns) else { return nil }
    return (Int(column), Int(row))
  }
}

/// A cell of the lattice that is fixed to the world at one zoom.
struct LatticeCell: Hashable {
  let column: Int
  let row: Int
}
