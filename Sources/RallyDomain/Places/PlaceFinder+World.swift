import RallyMap
import RallyStreets
import RallyText
import RallyWire

extension PlaceFinder {
  /// Knows the cities of the world that is compiled in.
  public static let world = PlaceFinder(
    find: { text in places(cities(of: text), for: text) },
    called: { text in places(named(text), for: text) },
    nearest: { coordinate in
      let point = GeoPoint(latitude: coordinate.latitude, longitude: coordinate.longitude)
      guard let nearest = try? WorldMap.shared.nearestCity(to: point) else { return nil }
      return Place(nearest.city, isWithState: nearest.city.isAmbiguous)
    })

  /// Knows the streets of this machine's archives as well.
  public static func world(and tiles: StreetTiles) -> PlaceFinder {
    var finder = world
    finder.findElsewhere = { await tiles.places(matching: $0, near: nil) }
    return finder
  }

  /// Knows the streets of the archives in a folder, which need not exist, as well.
  public static func world(streetsIn folder: String) -> PlaceFinder {
    world(and: StreetTiles(folder: folder))
  }

  /// The cities called exactly `Lisbon`, or `Lisbon, Portugal`, by any of their names.
  private static func named(_ text: String) -> [City] {
    let whole = (try? WorldMap.shared.cities(called: text)) ?? []
    let parts = text.split(separator: ",", maxSplits: 1).map(\.trimmed)
    guard parts.count == 2, let found = try? WorldMap.shared.cities(called: parts[0]) else {
      return whole
    }
    return whole + found.filter { $0.country.isCalled(parts[1]) && !whole.contains($0) }
  }

  /// `Lisbon`, or `Lisbon, Portugal` where there are several; who has exactly this name comes
  /// before who only begins with it.
  private static func cities(of text: String) -> [City] {
    let parts = text.split(separator: ",", maxSplits: 1)
      .map(\.trimmed)
    let exact = named(text)
    guard let name = parts.first,
      let found = try? WorldMap.shared.cities(matching: name, limit: 50)
    else { return exact }
    let inCountry = found.filter { city in
      parts.count < 2 || city.country.isCalled(parts[1])
        || city.state?.foldedStarts(with: parts[1]) == true
    }
    return exact + inCountry.filter { !exact.contains($0) }
  }

  /// The places that cities are, as somebody who typed `text` tells them apart.
  private static func places(_ cities: [City], for text: String) -> [Place] {
    cities.compactMap { Place($0, isWithState: $0.isAmbiguous || text.contains(",")) }
  }
}

extension Country {
  /// Whether it is meant by its name, the beginning of that, or a code: `Portugal`, `pt`, `UK`.
  fileprivate func isCalled(_ text: String) -> Bool {
    guard !name.foldedStarts(with: text) else { return true }
    let code = text.uppercased()
    return isoCode == Self.otherCodes[code, default: code]
  }

  private static let otherCodes = ["UK": "GB", "USA": "US", "UAE": "AE"]
}

extension Place {
  /// Metres around a city's middle: somebody who names a city is somewhere in it.
  private static let cityRadius = 5000.0

  /// - Parameter isWithState: Whether its state tells it from others, where that is known.
  fileprivate init?(_ city: City, isWithState: Bool) {
    guard
      let coordinate = Coordinate(
        latitude: city.point.latitude, longitude: city.point.longitude)
    else { return nil }
    self.init(
      name: city.name, detail: city.country.name, state: isWithState ? city.state : nil,
      coordinate: coordinate, radiusMetres: Self.cityRadius)
  }
}
