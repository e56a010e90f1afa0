import RallyMap
import RallyStreets
import RallyText
import RallyWire

/// A named place, such as a city, or bare coordinates.
public struct Place: Hashable, Sendable {
  /// `Lisbon`; nil for bare coordinates.
  public var name: String?
  /// Tells it from others of the same name: `Portugal`.
  public var detail: String?
  /// Its state, where `detail` is that, because the name alone may mean another place: `Texas`.
  public var state: String?
  public var coordinate: Coordinate
  /// The size of the place: its radius in metres; nil for a point.
  public var radiusMetres: Double?

  public init(
    name: String?, detail: String? = nil, state: String? = nil, coordinate: Coordinate,
    radiusMetres: Double? = nil
  ) {
    self.name = name
    self.detail = state ?? detail
    self.state = state
    self.coordinate = coordinate
    self.radiusMetres = radiusMetres
  }

  /// `Lisbon`, or `Paris, Texas` where the name alone means another place; nil for bare coordinates.
  public var ownName: String? {
    name.map { name in state.map { "\(name), \($0)" } ?? name }
  }

  /// `Lisbon, Portugal`, or `38.7200, -9.1400`.
  public var title: String {
    let words = [name, detail].compactMap(\.self).joined(separator: ", ")
    return words.isEmpty ? coordinate.description : words
  }
}

/// Looks up named places; created where the world's data is available.
public struct PlaceFinder: Sendable {
  /// The places of this name, best match first; empty if there is none.
  public var find: @Sendable (_ name: String) -> [Place]
  /// The places that are called exactly this, by any of their names; the one that is meant first.
  public var called: @Sendable (_ name: String) -> [Place]
  /// Places of this name in sources that take time to ask; empty if there is none.
  public var findElsewhere: @Sendable (_ name: String) async -> [Place]
  /// The named place nearest to a coordinate; nil if all are too far away.
  public var nearest: @Sendable (Coordinate) -> Place?

  public init(
    find: @escaping @Sendable (_ name: String) -> [Place],
    called: (@Sendable (_ name: String) -> [Place])? = nil,
    nearest: @escaping @Sendable (Coordinate) -> Place? = { _ in nil },
    findElsewhere: @escaping @Sendable (_ name: String) async -> [Place] = { _ in [] }
  ) {
    self.find = find
    self.called =
      called ?? { text in
        let name = text.prefix { $0 != "," }.trimmed.folded
        return find(text).filter { $0.name?.folded == name }
      }
    self.findElsewhere = findElsewhere
    self.nearest = nearest
  }

  /// Finds no names; coordinates are still parsed.
  public static let none = PlaceFinder(find: { _ in [] })

  /// Parses what `resolve` does, and names that only other sources have, such as streets.
  ///
  /// - Throws: `FieldProblem` that says what to type instead.
  @concurrent public func resolveAnywhere(
    _ text: String, completes: Bool = true
  ) async throws(FieldProblem) -> Place {
    do {
      return try resolve(text, completes: completes)
    } catch {
      let name = text.trimmed
      guard !name.isEmpty, let place = await findElsewhere(name).first else { throw error }
      return place
    }
  }

  /// Parses `38.72,-9.14`, `38.72 -9.14` or `Lisbon`.
  ///
  /// - Parameter completes: Whether a name that is only the beginning of a place's is taken for the
  ///   first of these: `Lisb` for Lisbon, and `Roma` for Roman, which is not Rome.
  /// - Throws: `FieldProblem` that says what to type instead.
  public func resolve(
    _ text: String, completes: Bool = true
  ) throws(FieldProblem) -> Place {
    let text = text.trimmed
    guard !text.isEmpty else {
      throw FieldProblem(field: .place, advice: "Type a city, or latitude,longitude in degrees.")
    }
    let numbers = text.split { $0 == "," || $0 == ";" || $0.isWhitespace }.map { Double($0) }
    if numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] {
      guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
        throw FieldProblem(
          field: .place,
          advice: "Latitude is from -90 to 90 and longitude from -180 to 180: 38.72,-9.14.")
      }
      return Place(name: nil, coordinate: coordinate)
    }
    if let place = called(text).first { return place }
    let found = find(text)
    guard let place = found.first else {
      throw FieldProblem(
        field: .place,
        advice: "No place called \(text.cleanedForDisplay) is known. Type its coordinates.")
    }
    guard completes else {
      throw FieldProblem(
        field: .place,
        advice: "No place called \(text.cleanedForDisplay) is known.\nDid you mean "
          + found.prefix(Self.proposals).map(\.title).joined(separator: "; ")
          + "? Type one of them, or its coordinates; --first takes the first.")
    }
    return place
  }

  /// How many names are proposed.
  private static let proposals = 3
}

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

  /// The places that cities are, as somebody who typed `text` distinguishes them.
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

  /// - Parameter isWithState: Whether its state distinguishes it from others, where that is known.
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

extension StreetTiles {
  /// How exactly a position must be known for a street to be named, in metres.
  package static let streetAccuracy = 100.0

  /// `Rue Grimaldi, Monaco`, for a friend who shares their exact position; nil for everybody else,
  /// and where no archive has a street.
  public func place(of position: FriendPosition) async -> Place? {
    guard position.namesStreet else { return nil }
    return street(at: position.coordinate)
  }

  /// The street at a coordinate that is exact; nil where no archive has one.
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

extension GeoPoint {
  public init(_ coordinate: Coordinate) {
    self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }

  /// The same place in the words of the wire; nil for what is no place.
  package var coordinate: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }
}
