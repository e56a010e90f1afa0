/// The sizes of the cells that a coarse position is cut to.
public enum GridLevel: String, Hashable, Sendable, Codable, CaseIterable {
  case tenKilometres, oneKilometre

  /// Metres; a circle of this radius around a cell's centre covers the cell.
  public var accuracyMetres: Double {
    switch self {
    case .tenKilometres: 10_000
    case .oneKilometre: 1000
    }
  }

  /// Rows of this level in one degree of latitude.
  var rowsPerDegree: Int64 {
    switch self {
    case .tenKilometres: 12
    case .oneKilometre: 120
    }
  }
}

/// A cell of a fixed nested grid over the globe, in whole numbers only.
///
/// A coarse cell is 1/12 degree (9.3 km) high and holds ten by ten fine ones of 1/120 degree. Towards the
/// poles, where meridians meet, a cell spans more degrees of longitude, in steps at whole
/// degrees of latitude, so that it stays 5 to 13 km (0.5 to 1.3 km) wide up to 85 degrees.
public struct GridCell: Hashable, Sendable, Codable {
  public let level: GridLevel
  /// Counted from the south pole.
  public let row: Int64
  /// Counted from longitude -180 to the east.
  public let column: Int64

  /// The cell that holds `place`.
  public init(containing place: Coordinate, level: GridLevel) {
    let unit = Coordinate.unitsPerDegree
    let rows = 180 * level.rowsPerDegree
    let row = min(rows - 1, (place.latitudeUnits + 90 * unit) * level.rowsPerDegree / unit)
    let columns = GridCell.columns(inRow: row, level: level)
    self.level = level
    self.row = row
    column = min(columns - 1, (place.longitudeUnits + 180 * unit) * columns / (360 * unit))
  }

  /// - Returns: nil for numbers that no cell of this level has.
  public init?(level: GridLevel, row: Int64, column: Int64) {
    guard (0..<180 * level.rowsPerDegree).contains(row),
      (0..<GridCell.columns(inRow: row, level: level)).contains(column)
    else { return nil }
    self.level = level
    self.row = row
    self.column = column
  }

  /// The middle of the cell, to the unit.
  public var center: Coordinate {
    let unit = Coordinate.unitsPerDegree
    let columns = GridCell.columns(inRow: row, level: level)
    return Coordinate(
      exactLatitude: (2 * row + 1) * unit / (2 * level.rowsPerDegree) - 90 * unit,
      longitude: (2 * column + 1) * 360 * unit / (2 * columns) - 180 * unit)
  }

  /// The coarse cell around a fine one; a coarse one itself.
  public var parent: GridCell {
    level == .tenKilometres ? self : GridCell(containing: center, level: .tenKilometres)
  }

  /// The cell to announce for `place` when `previous` was announced before: the same one until
  /// the place is a tenth of a cell outside of it, so that somebody on an edge does not flicker.
  public static func following(
    _ previous: GridCell?, at place: Coordinate, level: GridLevel
  ) -> GridCell {
    guard let previous, previous.level == level, previous.holds(place, marginTenths: 1) else {
      return GridCell(containing: place, level: level)
    }
    return previous
  }

  /// Whether `place` is inside the cell, or outside by at most this many tenths of its size.
  func holds(_ place: Coordinate, marginTenths: Int64) -> Bool {
    let unit = Coordinate.unitsPerDegree
    let columns = GridCell.columns(inRow: row, level: level)
    // In tenths of a row and of a column, times one degree and one turn.
    let y = (place.latitudeUnits + 90 * unit) * level.rowsPerDegree * 10
    let x = (place.longitudeUnits + 180 * unit) * columns
    let turn = 360 * unit * columns
    let height = row * 10 * unit
    guard y >= height - marginTenths * unit, y <= height + (10 + marginTenths) * unit else {
      return false
    }
    // The distance to the middle, the short way around, in halves of a unit-column.
    let middle = (2 * column + 1) * 180 * unit
    var distance = abs(x - middle)
    distance = min(distance, turn - distance)
    return distance * 10 <= (10 + 2 * marginTenths) * 180 * unit
  }

  // MARK: - Columns

  /// How many coarse columns one column spans, from this latitude (whole degrees) to the poles;
  /// every number divides 4320, the coarse columns of the equator.
  private static let spans: [(degree: Int64, span: Int64)] = [
    (48, 2), (65, 3), (72, 4), (77, 6), (80, 8), (83, 12), (86, 24), (88, 60), (89, 360),
  ]

  static func columns(inRow row: Int64, level: GridLevel) -> Int64 {
    let degree = row / level.rowsPerDegree - 90
    // The degree of the edge nearer to the equator.
    let nearer = degree >= 0 ? degree : -degree - 1
    let span = spans.last { nearer >= $0.degree }?.span ?? 1
    return 360 * level.rowsPerDegree / span
  }
}
