import RallyMap
import RallyText
import RallyWire

/// Movement along waypoints at constant speed, on great circles between them.
public struct Route: Hashable, Sendable {
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
        let point = leg.from.destination(
          bearing: leg.from.bearing(to: leg.to), distance: rest)
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
