import RallyDomain
import RallyMap
import RallyWire

extension PlaceFinder {
  /// Knows the world's cities and countries by name.
  public static let world = PlaceFinder(
    find: { text in
      // Data that was compiled in is whole, or a test says so; without it only coordinates work.
      let cities = (try? WorldMap.shared.cities(matching: text, limit: 12)) ?? []
      return cities.compactMap(Place.init)
    },
    nearest: { coordinate in
      let found = try? WorldMap.shared.nearestCity(to: GeoPoint(coordinate), within: 80_000)
      return found.flatMap { $0 }.flatMap { Place($0.city) }
    })
}

extension Place {
  /// Metres around its centre in which somebody who names a city is.
  private static let cityRadius = 5000.0

  init?(_ city: City) {
    guard let coordinate = city.point.coordinate else { return nil }
    self.init(
      name: city.name, detail: city.country.name, coordinate: coordinate,
      radiusMetres: Self.cityRadius)
  }
}
