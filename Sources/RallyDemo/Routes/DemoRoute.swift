import RallyMap
import RallyText
import RallyWire

/// Movement along waypoints at constant speed, on great circles between them.
public struct DemoRoute: Hashable, Sendable {
  /// What happens after the last waypoint.
  public enum End: Hashable, Sendable {
    /// Continue to the first waypoint and repeat.
    case round
    /// Return the same way and repeat.
    case thereAndBack
    /// Stop at the last waypoint.
    case stays
  }

  public let travel: Travel
  /// Metres per second.
  public let speed: Double
  public let waypoints: [GeoPoint]
  public let end: End
  /// Metres already travelled when the demo starts.
  public let begun: Double

  private let legs: [Leg]

  private struct Leg: Hashable, Sendable {
    var from: GeoPoint
    var to: GeoPoint
    /// Metres.
    var length: Double
  }

  /// - Parameter waypoints: At least two, as pairs of latitude and longitude in degrees.
  public init(
    _ travel: Travel, speed: Double, _ waypoints: [(Double, Double)], end: End,
    begun: Double = 0
  ) {
    self.travel = travel
    self.speed = speed
    self.end = end
    self.begun = begun
    var points = waypoints.map { GeoPoint(latitude: $0.0, longitude: $0.1) }
    self.waypoints = points
    switch end {
    case .round: if let first = points.first { points.append(first) }
    case .thereAndBack: points += points.dropLast().reversed()
    case .stays: break
    }
    legs = zip(points, points.dropFirst()).map {
      Leg(from: $0, to: $1, length: $0.distance(to: $1))
    }
  }

  /// Length in metres of the whole route, or of one repetition.
  public var length: Double { legs.reduce(0) { $0 + $1.length } }

  /// Position, course and speed after `elapsed`.
  public func stand(after elapsed: Duration) -> Stand {
    var rest = begun + speed * elapsed.inSeconds
    let length = length
    if rest >= length {
      if end == .stays || length <= 0 {
        return Stand(
          point: waypoints.last ?? GeoPoint(latitude: 0, longitude: 0), course: nil, speed: 0)
      }
      rest = rest.truncatingRemainder(dividingBy: length)
    }
    for leg in legs {
      if rest < leg.length {
        let point = leg.from.destination(bearing: leg.from.bearing(to: leg.to), distance: rest)
        return Stand(point: point, course: point.bearing(to: leg.to), speed: speed)
      }
      rest -= leg.length
    }
    return Stand(point: legs.last?.to ?? GeoPoint(latitude: 0, longitude: 0), course: nil, speed: 0)
  }

  public struct Stand: Hashable, Sendable {
    public var point: GeoPoint
    /// Degrees clockwise from north, 0..<360; nil when not moving.
    public var course: Double?
    /// Metres per second.
    public var speed: Double

    public var coordinate: Coordinate? {
      Coordinate(latitude: point.latitude, longitude: point.longitude)
    }
  }
}

/// A means of travel with its plausible speeds, terrain and location accuracy.
public enum Travel: String, Hashable, Sendable, CaseIterable {
  case walking, cycling, sailing, ferry, train, flying

  /// Plausible speeds in metres per second.
  public var speeds: ClosedRange<Double> {
    switch self {
    case .walking: 0.8...1.9
    case .cycling: 3...9
    case .sailing: 2...6
    case .ferry: 6...12
    case .train: 15...70
    case .flying: 180...270
    }
  }

  /// The terrain of the route, apart from its ends.
  public enum Ground: Hashable, Sendable { case land, sea, any }

  public var ground: Ground {
    switch self {
    case .walking, .cycling, .train: .land
    case .sailing, .ferry: .sea
    case .flying: .any
    }
  }

  /// Typical GPS accuracy of a phone, in metres.
  var accuracyMetres: Double {
    switch self {
    case .walking: 8
    case .cycling: 6
    case .sailing, .ferry: 10
    case .train: 25
    case .flying: 60
    }
  }
}

/// A phone battery that drains at a constant rate.
public struct Battery: Hashable, Sendable {
  /// Percent at the start of the demo.
  public var charge: Double
  /// Percent per hour; a phone with its screen and GPS on uses about 15.
  public var drain: Double

  /// Lower bound in percent: the level never falls below it.
  static let least = 4.0

  /// The level in whole percent.
  public func level(after elapsed: Duration) -> Double {
    max(charge - drain * elapsed.inSeconds / 3600, Self.least).rounded()
  }
}

/// Paths along the streets of Monaco, as pairs of latitude and longitude in degrees.
///
/// Made from the roads that the tiles of `DemoStreets` show (© OpenStreetMap contributors, ODbL):
/// shortest paths between crossings, simplified to 1.5 m.
enum MonacoRoutes {
  /// Down the Avenue d'Ostende, along the Rue Grimaldi, and round two corners to the Stone cat.
  static let rideFromTheCasino: [(Double, Double)] = [
    (43.73787, 7.42651), (43.73775, 7.42584), (43.73745, 7.42494), (43.73738, 7.42420),
    (43.73709, 7.42277), (43.73698, 7.42159), (43.73691, 7.42141), (43.73677, 7.42116),
    (43.73590, 7.42010), (43.73528, 7.41945), (43.73430, 7.41964), (43.73443, 7.42138),
    (43.73448, 7.42137),
  ]

  /// Down the Boulevard Rainier III, across the Place d'Armes, along the harbour.
  static let rideFromTheGarden: [(Double, Double)] = [
    (43.73681, 7.41955), (43.73651, 7.41918), (43.73616, 7.41869), (43.73590, 7.41786),
    (43.73577, 7.41770), (43.73532, 7.41727), (43.73503, 7.41711), (43.73482, 7.41707),
    (43.73437, 7.41710), (43.73427, 7.41720), (43.73420, 7.41739), (43.73391, 7.41746),
    (43.73366, 7.41761), (43.73346, 7.41760), (43.73312, 7.41741), (43.73298, 7.41739),
    (43.73291, 7.41747), (43.73283, 7.41770), (43.73271, 7.41798), (43.73266, 7.41801),
    (43.73262, 7.41801), (43.73234, 7.41781), (43.73216, 7.41826), (43.73207, 7.41835),
    (43.73241, 7.41891), (43.73241, 7.41900), (43.73248, 7.41907), (43.73249, 7.41914),
    (43.73242, 7.41949), (43.73240, 7.41972), (43.73230, 7.41995), (43.73216, 7.42097),
    (43.73206, 7.42146), (43.73206, 7.42184), (43.73210, 7.42206), (43.73218, 7.42224),
    (43.73233, 7.42238), (43.73248, 7.42242), (43.73261, 7.42239), (43.73276, 7.42228),
    (43.73308, 7.42198), (43.73333, 7.42181), (43.73413, 7.42148), (43.73448, 7.42137),
  ]

  /// From the Boulevard des Moulins by the Avenue de la Costa to the Stone cat.
  static let walkFromTheMills: [(Double, Double)] = [
    (43.74057, 7.42567), (43.73939, 7.42493), (43.73854, 7.42443), (43.73837, 7.42430),
    (43.73810, 7.42400), (43.73798, 7.42378), (43.73785, 7.42348), (43.73779, 7.42322),
    (43.73777, 7.42293), (43.73780, 7.42203), (43.73773, 7.42207), (43.73764, 7.42233),
    (43.73748, 7.42256), (43.73744, 7.42271), (43.73741, 7.42351), (43.73744, 7.42396),
    (43.73743, 7.42404), (43.73739, 7.42406), (43.73735, 7.42401), (43.73712, 7.42291),
    (43.73699, 7.42195), (43.73690, 7.42175), (43.73680, 7.42157), (43.73635, 7.42132),
    (43.73615, 7.42126), (43.73577, 7.42121), (43.73503, 7.42127), (43.73448, 7.42137),
  ]

  /// A round through the streets behind the harbour; it begins and ends at the Place d'Armes.
  static let roundOfLaCondamine: [(Double, Double)] = [
    (43.73255, 7.41889), (43.73267, 7.41892), (43.73306, 7.41876), (43.73404, 7.41851),
    (43.73414, 7.41849), (43.73424, 7.41852), (43.73421, 7.41870), (43.73438, 7.42064),
    (43.73441, 7.42063), (43.73448, 7.42137), (43.73503, 7.42127), (43.73544, 7.42122),
    (43.73537, 7.41955), (43.73528, 7.41945), (43.73401, 7.41971), (43.73410, 7.42067),
    (43.73384, 7.42073), (43.73369, 7.41977), (43.73375, 7.41976), (43.73357, 7.41863),
    (43.73281, 7.41885), (43.73307, 7.42005), (43.73317, 7.42126), (43.73223, 7.42131),
    (43.73214, 7.42135), (43.73206, 7.42146), (43.73216, 7.42097), (43.73230, 7.41995),
    (43.73240, 7.41972), (43.73242, 7.41949), (43.73249, 7.41918), (43.73248, 7.41907),
    (43.73252, 7.41905), (43.73256, 7.41900),
  ]
}
