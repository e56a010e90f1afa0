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

  /// Parses what `resolve` does, and names that only other sources know, such as streets.
  ///
  /// - Throws: `FieldProblem` that says what to type instead.
  public func resolveAnywhere(
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
