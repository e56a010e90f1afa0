import RallyWire

/// Extracts the coordinates of a GeoJSON geometry.
enum GeoJSONGeometry {
  /// - Throws: `ImportProblem` for an unknown geometry type, a geometry without points, or an
  ///   invalid coordinate.
  static func points(of geometry: PositionedJSON) throws(ImportProblem) -> [Coordinate] {
    var points: [Coordinate] = []
    try collect(geometry, into: &points)
    guard !points.isEmpty else {
      throw ImportProblem(line: geometry.line, "The geometry has no point.")
    }
    return points
  }

  /// Reads `[longitude, latitude]`; an altitude is ignored.
  ///
  /// - Throws: `ImportProblem` if the value is no position or out of range.
  static func position(_ value: PositionedJSON) throws(ImportProblem) -> Coordinate {
    guard let numbers = value.array, numbers.count >= 2, let longitude = numbers[0].number,
      let latitude = numbers[1].number
    else {
      let fault = value.array?.prefix(2).compactMap(\.fault).first
      throw ImportProblem(
        line: value.line, fault ?? "A position is written [longitude, latitude].")
    }
    guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
      throw ImportProblem(
        line: value.line, "This position is not on Earth: [longitude, latitude] is expected.")
    }
    return place
  }

  private static func collect(
    _ geometry: PositionedJSON, into points: inout [Coordinate]
  ) throws(ImportProblem) {
    let nesting =
      switch geometry["type"]?.string {
      case "Point": 0
      case "MultiPoint", "LineString": 1
      case "Polygon", "MultiLineString": 2
      case "MultiPolygon": 3
      case "GeometryCollection": -1
      default: Int?.none
      }
    guard let nesting else {
      throw ImportProblem(line: geometry.line, "This is no geometry of GeoJSON.")
    }
    guard nesting >= 0 else {
      for part in geometry["geometries"]?.array ?? [] { try collect(part, into: &points) }
      return
    }
    guard let coordinates = geometry["coordinates"] else {
      throw ImportProblem(line: geometry.line, "The geometry has no coordinates.")
    }
    try collect(coordinates, nesting: nesting, into: &points)
  }

  private static func collect(
    _ value: PositionedJSON, nesting: Int, into points: inout [Coordinate]
  ) throws(ImportProblem) {
    guard nesting > 0 else { return points.append(try position(value)) }
    guard let values = value.array else {
      throw ImportProblem(line: value.line, "A list of positions is expected here.")
    }
    for value in values { try collect(value, nesting: nesting - 1, into: &points) }
  }
}
