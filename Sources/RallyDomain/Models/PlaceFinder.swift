import Foundation
import RallyWire

/// A place with a name: a city that somebody typed, or coordinates that they gave.
public struct Place: Hashable, Sendable {
  /// `Lisbon`; nil for bare coordinates.
  public var name: String?
  /// What tells it from others of its name: `Portugal`.
  public var detail: String?
  public var coordinate: Coordinate
  /// Metres around the coordinate in which somebody who names the place is; nil for a point.
  public var radiusMetres: Double?

  public init(
    name: String?, detail: String? = nil, coordinate: Coordinate, radiusMetres: Double? = nil
  ) {
    self.name = name
    self.detail = detail
    self.coordinate = coordinate
    self.radiusMetres = radiusMetres
  }

  /// `Lisbon, Portugal`, or `38.7200, -9.1400`.
  public var title: String {
    let words = [name, detail].compactMap(\.self).joined(separator: ", ")
    return words.isEmpty ? coordinate.description : words
  }
}

/// Knows where named places are; composed where the world's data is known.
public struct PlaceFinder: Sendable {
  /// The places of this name, the likeliest first; empty when there is none.
  public var find: @Sendable (_ name: String) -> [Place]
  /// The named place nearest to a coordinate; nil far from everything.
  public var nearest: @Sendable (Coordinate) -> Place?

  public init(
    find: @escaping @Sendable (_ name: String) -> [Place],
    nearest: @escaping @Sendable (Coordinate) -> Place? = { _ in nil }
  ) {
    self.find = find
    self.nearest = nearest
  }

  /// Knows no names; coordinates are still understood.
  public static let none = PlaceFinder(find: { _ in [] })

  /// What a person means by `38.72,-9.14`, `38.72 -9.14` or `Lisbon`.
  ///
  /// - Throws: `FieldProblem` that says what to type instead.
  public func resolve(_ text: String) throws(FieldProblem) -> Place {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
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
    guard let place = find(text).first else {
      throw FieldProblem(
        field: .place,
        advice: "No place called \(text.cleanedForDisplay) is known. Type its coordinates.")
    }
    return place
  }
}
