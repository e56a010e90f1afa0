import RallyDomain
import RallyEnvironment
import RallyWire

/// The cities that people are in, remembered: a row of a list asks at every frame.
@MainActor final class PlaceNames {
  static let shared = PlaceNames(finder: .world)

  private let finder: PlaceFinder
  private var known: [Coordinate: Place?] = [:]

  init(finder: PlaceFinder) { self.finder = finder }

  func place(at coordinate: Coordinate) -> Place? {
    if let known = known[coordinate] { return known }
    if known.count > 2000 { known.removeAll() }
    let place = finder.nearest(coordinate)
    known[coordinate] = .some(place)
    return place
  }

  func name(at coordinate: Coordinate) -> String? { place(at: coordinate)?.name }
}

private struct PlaceNamesKey: EnvironmentKey {
  static var defaultValue: PlaceNames { .shared }
}

extension EnvironmentValues {
  /// The cities that people are in.
  var placeNames: PlaceNames {
    get { self[PlaceNamesKey.self] }
    set { self[PlaceNamesKey.self] = newValue }
  }
}
