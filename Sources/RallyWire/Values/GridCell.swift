/// The sizes of the cells that a coarse position is cut to.
public enum GridLevel: String, Hashable, Sendable, Codable, CaseIterable {
  case tenKilometres, oneKilometre

  /// Metres; a circle of this radius around a cell's centre covers the cell and a tenth around it.
  /// Within that margin a person who leaves the cell is still shown in it (hysteresis).
  public var accuracyMetres: Double {
    switch self {
    case .tenKilometres: 10_000
    case .oneKilometre: 1000
    }
  }

  /// The longest delay until coarse readers are notified of a move into another cell: about the
  /// time in which a person walks a tenth of the cell's size.
  public var longestDelay: Duration {
    switch self {
    case .tenKilometres: .seconds(720)
    case .oneKilometre: .seconds(120)
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
/// A coarse cell is 1/12 degree (9.3 km) high and holds ten by ten fine ones of 1/120 degree.
/// Towards the poles, where meridians meet, a cell spans more degrees of longitude. The number
/// grows at whole degrees of latitude, so that cells stay 6 to 14 km (0.6 to 1.4 km) wide. In the
/// last degree each row has its own number of columns. The cells of the last row are wedges that
/// meet at the pole.
public struct GridCell: Hashable, Sendable, Codable {
  public let level: GridLevel
  /// Counted from the south pole.
  public let row: Int64
  /// Counted from longitude -180 to the east.
  public let column: Int64

  /// The cell that contains `place`.
  public init(containing place: Coordinate, level: GridLevel) {
    let unit = Coordinate.unitsPerDegree
    let rows = 180 * level.rowsPerDegree
    let row = min(rows - 1, (place.latitudeUnits + 90 * unit) * level.rowsPerDegree / unit)
    let columns = GridCell.columns(inRow: row, level: level)
    self.level = level
    self.row = row
    column = min(columns - 1, (place.longitudeUnits + 180 * unit) * columns / (360 * unit))
  }

  /// - Returns: nil if no cell of this level has these numbers.
  public init?(level: GridLevel, row: Int64, column: Int64) {
    guard (0..<180 * level.rowsPerDegree).contains(row),
      (0..<GridCell.columns(inRow: row, level: level)).contains(column)
    else { return nil }
    self.level = level
    self.row = row
    self.column = column
  }

  /// The centre of the cell, exact to the unit of `Coordinate`.
  public var center: Coordinate {
    let unit = Coordinate.unitsPerDegree
    let columns = GridCell.columns(inRow: row, level: level)
    return Coordinate(
      exactLatitude: (2 * row + 1) * unit / (2 * level.rowsPerDegree) - 90 * unit,
      longitude: (2 * column + 1) * 360 * unit / (2 * columns) - 180 * unit)
  }

  /// The cell and those around it.
  public var neighbourhood: [GridCell] {
    let columns = GridCell.columns(inRow: row, level: level)
    return (row - 1...row + 1).flatMap { row -> [GridCell] in
      guard (0..<180 * level.rowsPerDegree).contains(row) else { return [] }
      // Rows nearer to a pole have fewer columns: the one at the same longitude, and its neighbours.
      let count = GridCell.columns(inRow: row, level: level)
      let middle = (2 * column + 1) * count / (2 * columns)
      let near = Set((-1...1).map { (middle + $0 + count) % count })
      return near.sorted().compactMap { GridCell(level: level, row: row, column: $0) }
    }
  }

  /// The coarse cell around a fine one; a coarse one itself.
  public var parent: GridCell {
    level == .tenKilometres ? self : GridCell(containing: center, level: .tenKilometres)
  }

  /// The cell to announce for `place` if `previous` was announced before. It stays until the place
  /// is a tenth of a cell outside it, so that a person at an edge does not alternate between two
  /// cells.
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
    // At a pole all columns meet; a step across it changes the longitude by half a turn.
    let rows = 180 * level.rowsPerDegree
    if row == 0, y <= marginTenths * unit { return true }
    if row == rows - 1, rows * 10 * unit - y <= marginTenths * unit { return true }
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

  /// How many coarse columns one column spans, from this latitude (whole degrees) towards the pole;
  /// every number divides 4320, the coarse columns of the equator.
  private static let spans: [(degree: Int64, span: Int64)] = [
    (48, 2), (65, 3), (72, 4), (77, 6), (80, 8), (83, 12), (86, 20), (87, 27), (88, 40),
  ]

  /// The columns that fit around a row, at a width of at most 1.5 times its height.
  static func columns(inRow row: Int64, level: GridLevel) -> Int64 {
    let rows = level.rowsPerDegree
    // Rows between this one and the nearer pole, and the degree of the edge nearer to the equator.
    let beyond = min(row, 180 * rows - 1 - row)
    let degree = 89 - beyond / rows
    guard degree < 89 else { return polarColumns(number: beyond + 1, level: level) }
    let span = spans.last { degree >= $0.degree }?.span ?? 1
    return 360 * rows / span
  }

  /// The columns of a row in the last degree. There the length of a circle of latitude is 2π times
  /// the number of rows to the pole. Each of these rows adds 4.25 columns. The fine level takes a
  /// multiple of the coarse row's, so that cells stay nested.
  private static func polarColumns(number: Int64, level: GridLevel) -> Int64 {
    func needed(_ number: Int64) -> Int64 { (17 * number + 3) / 4 }
    guard level == .oneKilometre else { return needed(number) }
    let coarse = needed((number + 9) / 10)
    return (needed(number) + coarse - 1) / coarse * coarse
  }
}
