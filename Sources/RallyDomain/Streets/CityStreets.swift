import RallyMap
import RallyStreets
import RallyText
import RallyWire

/// The streets around a place, asked for by its name.
public struct CityStreets: Hashable, Sendable {
  public let place: Place
  /// In metres.
  public let radius: Double
  public let area: TileArea
  public let name: StreetName

  /// About the size of a large city, in metres.
  public static let usualRadius = 10_000.0

  /// - Parameter name: What to call them; the place's name if nil.
  /// - Throws: `FieldProblem` where there are no map tiles, or for a place without a name.
  public init(
    around place: Place, radius: Double = usualRadius, name: StreetName? = nil
  ) throws(FieldProblem) {
    let middle = GeoPoint(
      latitude: place.coordinate.latitude, longitude: place.coordinate.longitude)
    guard let area = TileArea(around: middle, radius: radius) else {
      throw FieldProblem(
        field: .place,
        advice: "There are no map tiles around \(place.title). Give a place between 85 degrees"
          + " south and north.")
    }
    guard let name = name ?? place.name.flatMap(StreetName.init(from:)) else {
      throw FieldProblem(field: .place, advice: "The streets need a name. Type --name lisbon.")
    }
    (self.place, self.radius, self.area, self.name) = (place, radius, area, name)
  }

  /// What is said of the place: its name, or what it is called here.
  public var title: String { place.name ?? name.description }

  /// About how many bytes of tiles a city of this size has.
  public var estimate: UInt64 {
    let kilometres = 2 * radius / 1000
    return UInt64(kilometres * kilometres * Self.bytesPerSquareKilometre)
  }

  /// A city of 20 by 24 km takes 23 MB of Protomaps' tiles.
  private static let bytesPerSquareKilometre = 48_000.0
}
