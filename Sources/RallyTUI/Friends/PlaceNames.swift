import RallyDomain
import RallyEnvironment
import RallyMap
import RallyWire

/// The cities that people are in, remembered: a row of a list asks at every frame.
final class PlaceNames {
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

/// The time of day somewhere, and whether the sun has set there.
struct PlaceHour: Hashable {
  /// `14:31`
  var clock: String
  var isNight: Bool

  /// `14:31 ☼`, with a sign of one cell.
  func text(_ glyphs: GlyphSet) -> String {
    let sign = glyphs == .ascii ? (isNight ? "n" : "d") : isNight ? "☾" : "☼"
    return "\(clock) \(sign)"
  }

  /// `14:31 there, night`
  var words: String { "\(clock) there, \(isNight ? "night" : "day")" }
}

/// What the clocks show where people are, by the time zone of the nearest built-in city. Remembers
/// the zones: a row of a list asks at every frame.
final class PlaceClocks {
  static let shared = PlaceClocks { point in
    (try? WorldMap.shared.nearestCity(to: point)).flatMap {
      LocalTimeZone(identifier: $0.city.timeZone)
    }
  }

  private struct Area: Hashable {
    var coordinate: Coordinate
    var radius: Double
  }

  private let zone: (GeoPoint) -> LocalTimeZone?
  private var known: [Area: [LocalTimeZone]] = [:]

  /// - Parameter zone: The zone of the nearest city; nil where none is near.
  init(zone: @escaping (GeoPoint) -> LocalTimeZone?) { self.zone = zone }

  /// The time where a friend is; nil where no city is near, and where the cell of a coarse position
  /// reaches into zones whose clocks differ now.
  func hour(at position: FriendPosition, now: WireTime) -> PlaceHour? {
    let area = Area(
      coordinate: position.coordinate,
      radius: position.precision == .precise ? 0 : position.uncertaintyMetres)
    let date = now.date
    let zones = zones(of: area)
    guard let zone = zones.first, Set(zones.map { $0.secondsFromUTC(at: now) }).count == 1 else {
      return nil
    }
    let point = GeoPoint(position.coordinate)
    return PlaceHour(
      clock: LocalMinute.text(LocalMinute(now, in: zone).minute),
      isNight: Sun(at: date).isNight(at: point))
  }

  private func zones(of area: Area) -> [LocalTimeZone] {
    if let known = known[area] { return known }
    if known.count > 2000 { known.removeAll() }
    let centre = GeoPoint(area.coordinate)
    let points =
      area.radius == 0
      ? []
      : stride(from: 0, to: 360, by: 45).map { bearing in
        centre.destination(bearing: bearing, distance: area.radius)
      }
    // A corner without a city near says nothing; the middle has to be known.
    let zones = Array(Set(zone(centre).map { [$0] + points.compactMap(zone) } ?? []))
    known[area] = zones
    return zones
  }
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

private struct PlaceClocksKey: EnvironmentKey {
  static var defaultValue: PlaceClocks { .shared }
}

extension EnvironmentValues {
  /// What the clocks show where people are.
  var placeClocks: PlaceClocks {
    get { self[PlaceClocksKey.self] }
    set { self[PlaceClocksKey.self] = newValue }
  }
}
