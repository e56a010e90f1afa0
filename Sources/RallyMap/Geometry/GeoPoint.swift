/// A place on the sphere in degrees: latitude -90...90, longitude -180..<180.
public struct GeoPoint: Hashable, Sendable {
  public var latitude: Double
  public var longitude: Double

  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}
