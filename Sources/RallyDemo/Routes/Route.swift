import RallyMap
import RallyWire

/// A way along written waypoints, great circles between them, at one speed.
public struct Route: Hashable, Sendable {
  /// What follows the last waypoint.
  public enum End: Hashable, Sendable {
    /// Back to the first one, and on.
    case round
    /// The same way back, and on.
    case thereAndBack
    /// Nothing: they are there.
    case stays
  }

  public let travel: Travel
  /// Metres a second.
  public let speed: Double
  public let waypoints: [GeoPoint]
  public let end: End
  /// Metres that were done before the demo began.
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

  /// Metres until the end, or until everything begins anew.
  public var length: Double { legs.reduce(0) { $0 + $1.length } }

  /// Where, which way and how fast somebody is on this way after some time.
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
    /// Degrees clockwise from north, 0..<360; nil for who stands still.
    public var course: Double?
    /// Metres a second.
    public var speed: Double

    public var coordinate: Coordinate? {
      Coordinate(latitude: point.latitude, longitude: point.longitude)
    }
  }
}

extension Duration {
  /// Seconds with their fraction.
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
