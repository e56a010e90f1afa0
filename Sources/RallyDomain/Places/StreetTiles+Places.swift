import RallyMap
import RallyStreets
import RallyWire

extension StreetTiles {
  /// How exactly a position must be known for a street to be named, in metres.
  package static let streetAccuracy = 100.0

  /// `Rue Grimaldi, Monaco`, for a friend who shares their exact position; nil for everybody else,
  /// and where no archive knows a street.
  public func place(of position: FriendPosition) async -> Place? {
    guard position.namesStreet else { return nil }
    return street(at: position.coordinate)
  }

  /// The street at a coordinate that is exact; nil where no archive knows one.
  package func street(at coordinate: Coordinate) -> Place? {
    let address = address(of: GeoPoint(coordinate))
    guard let street = address.street else { return nil }
    return Place(
      name: street, detail: address.place == street ? nil : address.place, coordinate: coordinate)
  }

  /// Streets and places of the archives as places.
  public func places(matching text: String, near coordinate: Coordinate?, limit: Int = 8)
    async -> [Place]
  {
    matches(text, near: coordinate.map { GeoPoint($0) }, limit: limit).compactMap { match in
      guard
        let coordinate = Coordinate(
          latitude: match.point.latitude, longitude: match.point.longitude)
      else { return nil }
      return Place(name: match.name, detail: match.place, coordinate: coordinate)
    }
  }
}

extension FriendPosition {
  /// Whether a street may be named for this position. A coarse position never names one.
  package var namesStreet: Bool {
    precision == .precise && uncertaintyMetres <= StreetTiles.streetAccuracy
  }
}
