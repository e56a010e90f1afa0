import Glibc

/// Spatial index of cities in buckets of 4° × 4°, for proximity search. About 60 kB.
struct CityGrid: Sendable {
  static let degrees = 4.0
  private static let columns = 90
  private static let rows = 45

  /// For each bucket, in rows from the south, the index in `order` of its first city; then the end.
  private let starts: ContiguousArray<UInt32>
  private let order: ContiguousArray<UInt32>

  init(_ cities: WorldCities) {
    var fields = ContiguousArray<Int>()
    fields.reserveCapacity(cities.count)
    var starts = ContiguousArray<UInt32>(repeating: 0, count: Self.columns * Self.rows + 1)
    for record in cities.records {
      let point = record.worldPoint.geoPoint
      let field = Self.row(point.latitude) * Self.columns + Self.column(point.longitude)
      fields.append(field)
      starts[field + 1] += 1
    }
    for field in 1..<starts.count { starts[field] += starts[field - 1] }
    var next = starts
    var order = ContiguousArray<UInt32>(repeating: 0, count: cities.count)
    for (city, field) in fields.enumerated() {
      order[Int(next[field])] = UInt32(city)
      next[field] += 1
    }
    self.starts = starts
    self.order = order
  }

  private static func row(_ latitude: Double) -> Int {
    min(max(Int((latitude + 90) / degrees), 0), rows - 1)
  }

  /// Wraps longitudes.
  private static func column(_ longitude: Double) -> Int {
    let column = Int(((longitude + 180) / degrees).rounded(.down)) % columns
    return column < 0 ? column + columns : column
  }

  /// Calls `body` with the index of every city in the buckets that a circle intersects, so also
  /// with some outside of the circle.
  ///
  /// - Parameter metres: Radius of the circle along the sphere.
  func forEach(around point: GeoPoint, within metres: Double, _ body: (Int) -> Void) {
    let angle = min(metres / GeoPoint.earthRadius, .pi)
    let reach = angle * 180 / .pi
    let phi = point.latitude * .pi / 180
    // The circle's longitude extent; all longitudes if it contains a pole.
    let sine = sin(angle) / max(cos(phi), 1e-9)
    let holdsPole = abs(point.latitude) + reach >= 90
    let sideways = holdsPole || sine >= 1 ? 180 : asin(sine) * 180 / .pi
    let first = Int(((point.longitude - sideways + 180) / Self.degrees).rounded(.down))
    let last = Int(((point.longitude + sideways + 180) / Self.degrees).rounded(.down))
    for row in Self.row(point.latitude - reach)...Self.row(point.latitude + reach) {
      for column in first...min(last, first + Self.columns - 1) {
        let turned = (column % Self.columns + Self.columns) % Self.columns
        let field = row * Self.columns + turned
        for index in Int(starts[field])..<Int(starts[field + 1]) { body(Int(order[index])) }
      }
    }
  }
}
