/// A point on the sphere in degrees: latitude -90...90, longitude -180..<180.
public struct GeoPoint: Hashable, Sendable {
  public var latitude: Double
  public var longitude: Double

  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// The point with its latitude clamped to -90...90 and its longitude wrapped to -180..<180.
  public var normalized: GeoPoint {
    GeoPoint(
      latitude: min(max(latitude, -90), 90), longitude: Self.normalizedLongitude(longitude))
  }

  /// Wraps a longitude to -180..<180.
  static func normalizedLongitude(_ longitude: Double) -> Double {
    guard longitude < -180 || longitude >= 180 else { return longitude }
    let turned = (longitude + 180).truncatingRemainder(dividingBy: 360)
    // A tiny negative remainder plus 360 rounds to 360 itself.
    let positive = turned < 0 ? turned + 360 : turned
    return positive >= 360 ? -180 : positive - 180
  }

  /// Latitude in radians.
  var phi: Double { latitude * .pi / 180 }

  /// Longitude in radians.
  var lambda: Double { longitude * .pi / 180 }
}
