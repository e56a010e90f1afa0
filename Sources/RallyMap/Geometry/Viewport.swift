import Foundation

/// What part of the world a grid of cells shows: a value, so that panning and zooming are its functions.
///
/// The world is a square of 256·2^zoom dots; a cell is 2 dots wide and 4 high, which is about square
/// on a terminal. The grid lies on a lattice of whole cells that is fixed to the world, so that a
/// coast keeps its dots while the view moves; `center` is exact, what is drawn is within half a cell of it.
///
/// The world is never repeated: a view that is wider than the world leaves its margins empty. East and
/// west go round the dateline; north and south stop at the edges of the square.
public struct Viewport: Hashable, Sendable {
  /// The place in the middle.
  public let center: GeoPoint
  /// Doublings of a world of 256 dots: from `lowestZoom` to `maximumZoom`, in fractions too.
  public let zoom: Double
  /// The grid's width in cells, at least 1.
  public let columns: Int
  /// The grid's height in cells, at least 1.
  public let rows: Int

  /// The closest that one can come: about half a metre a dot.
  public static let maximumZoom = 18.0

  /// The part of the square's height where people live: from Svalbard to Cape Horn.
  private static let inhabited = (north: 0.135, south: 0.70)

  /// The whole world is shown with its edge in the Bering strait, so that no country is cut.
  private static let wholeWorldLongitude = 11.0

  /// Holds the zoom and the centre within their ranges; what is not a number becomes the middle of the
  /// world and the lowest zoom.
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

  /// The zoom at which the inhabited world just fits.
  public static func lowestZoom(columns: Int, rows: Int) -> Double {
    let wide = Double(max(columns, 1) * 2)
    let high = Double(max(rows, 1) * 4) / (inhabited.south - inhabited.north)
    return log2(min(wide, high) / 256)
  }

  /// The lowest zoom, centred so that nobody's country is cut.
  public static func wholeWorld(columns: Int, rows: Int) -> Viewport {
    let middle = (inhabited.north + inhabited.south) / 2
    let x = WorldPoint(GeoPoint(latitude: 0, longitude: wholeWorldLongitude)).x
    return Viewport(
      center: WorldPoint(x: x, y: middle),
      zoom: lowestZoom(columns: columns, rows: rows), columns: columns, rows: rows)
  }

  /// The zoom below which this grid cannot go.
  public var lowestZoom: Double { Self.lowestZoom(columns: columns, rows: rows) }

  /// Whether one cannot zoom out any further.
  public var isWholeWorld: Bool { zoom <= lowestZoom + 1e-9 }

  static func worldDots(zoom: Double) -> Double { 256 * exp2(zoom) }

  /// The width and height of the world in dots.
  public var worldDots: Double { Self.worldDots(zoom: zoom) }

  /// The length of one dot in metres at the centre's latitude.
  public var metresPerDot: Double { metresPerDot(at: center) }

  /// The length of one dot in metres at a place's latitude; beyond the square, at its edge.
  public func metresPerDot(at point: GeoPoint) -> Double {
    let latitude = min(abs(point.latitude), WorldPoint.maximumLatitude)
    return Self.equatorMetres / 256 * cos(latitude * .pi / 180) / exp2(zoom)
  }

  /// The length of the equator that the Mercator square was made for (WGS 84's radius, 6,378,137 m).
  private static let equatorMetres = 2 * Double.pi * 6_378_137
}

// MARK: Cells

extension Viewport {
  /// The world's cell lattice at the grid's upper left corner.
  var origin: (column: Int, row: Int) {
    let middle = WorldPoint(center)
    return (
      Int((middle.x * worldDots / 2 - Double(columns) / 2).rounded()),
      Int((middle.y * worldDots / 4 - Double(rows) / 2).rounded())
    )
  }

  /// The columns that show the world, before they are cut by the grid: exactly one world wide.
  var worldColumns: Range<Double> {
    let middle = Double(columns) / 2
    let half = worldDots / 4
    return (middle - half)..<(middle + half)
  }

  /// Where a place lies, in cells from the upper left corner, on the grid or off it: (0.5, 0.5) is the
  /// middle of the first cell. Of the copies round the earth this is the one that is shown.
  public func position(of point: GeoPoint) -> (column: Double, row: Double) {
    position(of: WorldPoint(point))
  }

  func position(of point: WorldPoint) -> (column: Double, row: Double) {
    CellProjection(self).position(of: point)
  }

  /// Where a place lies on the grid; nil when it is not in view.
  public func cell(of point: GeoPoint) -> (column: Double, row: Double)? {
    let found = position(of: point)
    guard found.column >= 0, found.column < Double(columns), found.row >= 0,
      found.row < Double(rows)
    else { return nil }
    return found
  }

  /// The place under a position on the grid; nil in the margins beyond the world.
  public func point(atColumn column: Double, row: Double) -> GeoPoint? {
    guard worldColumns.contains(column) else { return nil }
    let world = worldPoint(atColumn: column, row: row)
    guard (0...1).contains(world.y) else { return nil }
    return world.geoPoint
  }

  /// The place under the middle of a cell; nil in the margins beyond the world.
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
  /// The view moved by cells: positive to the east and south. Goes round the dateline, stops at the poles.
  public func panned(byColumns columns: Double, rows: Double) -> Viewport {
    let middle = worldPoint(
      atColumn: Double(self.columns) / 2 + columns, row: Double(self.rows) / 2 + rows)
    return Viewport(center: middle, zoom: zoom, columns: self.columns, rows: self.rows)
  }

  /// The view closer by so many doublings, or further away when negative.
  ///
  /// - Parameter cell: The cell whose place stays under it, within a cell; nil keeps the centre.
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

  /// The same grid with another place in its middle.
  ///
  /// Place and zoom are set at once: on their own, a place near a pole would first be held where the
  /// former zoom's world ends.
  ///
  /// - Parameters:
  ///   - place: Comes to the middle cell, or as near to it as the world's edge allows.
  ///   - zoom: In doublings; nil keeps the present zoom.
  public func showing(_ place: GeoPoint, zoom: Double? = nil) -> Viewport {
    Viewport(center: place, zoom: zoom ?? self.zoom, columns: columns, rows: rows)
  }

  /// The view on a grid of another size; who saw the whole world sees it whole again.
  public func resized(columns: Int, rows: Int) -> Viewport {
    guard columns != self.columns || rows != self.rows else { return self }
    let lowest = Self.lowestZoom(columns: columns, rows: rows)
    return Viewport(
      center: center, zoom: isWholeWorld ? lowest : zoom, columns: columns, rows: rows)
  }

  /// The closest view that shows all the places, with a margin of a tenth of the grid on each side.
  ///
  /// - Parameter maximumZoom: How close one place alone, or places side by side, bring the view.
  public func fitting(_ points: [GeoPoint], maximumZoom: Double = 12) -> Viewport {
    let worlds = points.map { WorldPoint($0) }.filter { $0.x.isFinite && $0.y.isFinite }
    guard let firstY = worlds.first?.y else { return self }
    // Round the earth the shortest stretch with all the places in it lies opposite to the widest gap.
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
