import Glibc
import RallyText

/// A place on Earth in WGS 84 degrees.
///
/// Latitude is in -90...90, longitude in -180..<180. Both are kept in whole ten-millionths of a
/// degree (about 1 cm), so that equal places are equal on both ends of the wire.
public struct Coordinate: Hashable, Sendable, Codable, CustomStringConvertible {
  /// Units in one degree.
  public static let unitsPerDegree: Int64 = 10_000_000

  /// Ten-millionths of a degree, north positive.
  public let latitudeUnits: Int64
  /// Ten-millionths of a degree, east positive.
  public let longitudeUnits: Int64

  public var latitude: Double { Double(latitudeUnits) / Double(Coordinate.unitsPerDegree) }
  public var longitude: Double { Double(longitudeUnits) / Double(Coordinate.unitsPerDegree) }

  /// - Returns: nil for numbers that are not finite or lie outside of the globe. A longitude of
  ///   180 is taken as -180.
  public init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
    let scale = Double(Coordinate.unitsPerDegree)
    self.init(
      exactLatitude: Int64((latitude * scale).rounded()),
      longitude: Int64((longitude * scale).rounded()))
  }

  /// - Returns: nil for units outside of the globe.
  public init?(latitudeUnits: Int64, longitudeUnits: Int64) {
    let unit = Coordinate.unitsPerDegree
    guard (-90 * unit...90 * unit).contains(latitudeUnits),
      (-180 * unit...180 * unit).contains(longitudeUnits)
    else { return nil }
    self.init(exactLatitude: latitudeUnits, longitude: longitudeUnits)
  }

  /// For units that are known to lie on the globe.
  init(exactLatitude latitudeUnits: Int64, longitude longitudeUnits: Int64) {
    self.latitudeUnits = latitudeUnits
    self.longitudeUnits =
      longitudeUnits == 180 * Coordinate.unitsPerDegree
      ? -longitudeUnits : longitudeUnits
  }

  /// Exactly 0, 0.
  package static let unmeasured = Coordinate(exactLatitude: 0, longitude: 0)

  /// Whether it is exactly 0, 0, which receivers and phones send that have no fix.
  public var isUnmeasured: Bool { latitudeUnits == 0 && longitudeUnits == 0 }

  /// Decimal degrees with four digits (about 10 m), as a person reads them: `38.7200, -9.1400`.
  public var description: String { "\(latitude.text(decimals: 4)), \(longitude.text(decimals: 4))" }

  // MARK: - Coding

  enum CodingKeys: String, CodingKey { case latitude, longitude }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let latitude = try container.decode(Double.self, forKey: .latitude)
    let longitude = try container.decode(Double.self, forKey: .longitude)
    guard let value = Coordinate(latitude: latitude, longitude: longitude) else {
      throw DecodingError.dataCorruptedError(
        forKey: .latitude, in: container,
        debugDescription: "latitude is in -90...90, longitude in -180...180")
    }
    self = value
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(latitude, forKey: .latitude)
    try container.encode(longitude, forKey: .longitude)
  }
}

// Great circles on a sphere of the Earth's mean radius: at most 0.6 % off the ellipsoid.
// Formulas: R. W. Sinnott, "Virtues of the Haversine", Sky and Telescope 68 (1984); the bearing
// as in Ed Williams' Aviation Formulary.
extension Coordinate {
  /// Metres; the mean radius R1 of the IUGG.
  public static let earthRadius = 6_371_008.8

  /// Metres along the great circle, 0...20,015,115.
  public func distance(to other: Coordinate) -> Double {
    let (a, b) = (latitude.radians, other.latitude.radians)
    let sinLatitude = sin((b - a) / 2)
    let sinLongitude = sin((other.longitude - longitude).radians / 2)
    let square = sinLatitude * sinLatitude + cos(a) * cos(b) * sinLongitude * sinLongitude
    return 2 * Coordinate.earthRadius * asin(min(1, square.squareRoot()))
  }

  /// The initial bearing of the great circle to `other` in degrees clockwise from north, 0..<360.
  /// Nil where it is undefined: at the same place and at its antipode.
  public func bearing(to other: Coordinate) -> Double? {
    let (a, b) = (latitude.radians, other.latitude.radians)
    let turn = (other.longitude - longitude).radians
    let east = sin(turn) * cos(b)
    let north = cos(a) * sin(b) - sin(a) * cos(b) * cos(turn)
    guard abs(east) > 1e-12 || abs(north) > 1e-12 else { return nil }
    let degrees = atan2(east, north) * 180 / .pi
    let positive = degrees < 0 ? degrees + 360 : degrees
    return positive >= 360 ? 0 : positive
  }

  /// The place so many metres away along the great circle that begins in this direction.
  ///
  /// - Parameter bearing: Degrees clockwise from north.
  func moved(by metres: Double, towards bearing: Double) -> Coordinate {
    let (angle, start, turn) = (metres / Self.earthRadius, latitude.radians, bearing.radians)
    let height = sin(start) * cos(angle) + cos(start) * sin(angle) * cos(turn)
    let east = atan2(sin(turn) * sin(angle) * cos(start), cos(angle) - sin(start) * height)
    let end = (longitude + east * 180 / .pi).remainder(dividingBy: 360)
    return Coordinate(latitude: asin(min(1, max(-1, height))) * 180 / .pi, longitude: end) ?? self
  }
}

extension Double {
  fileprivate var radians: Double { self * .pi / 180 }
}
