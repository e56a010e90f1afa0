import RallyMap
import RallyWire

extension GeoPoint {
  public init(_ coordinate: Coordinate) {
    self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }

  /// The same place in the words of the wire; nil for what is no place.
  package var coordinate: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }
}
