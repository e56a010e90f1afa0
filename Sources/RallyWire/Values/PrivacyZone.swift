/// A circle within which a position is held back.
///
/// Its centre is not the place that it protects: seen often enough, the points at which somebody
/// disappears lie on the circle and give its centre. The place lies anywhere within a third of the
/// radius around the centre, and all that is within `protectedDistance` of it is inside.
public struct PrivacyZone: Hashable, Sendable, Codable, Identifiable {
  /// What leaves a zone.
  public enum Allowance: String, Hashable, Sendable, Codable, CaseIterable {
    case nothing
    /// A cell of about 10 km.
    case city

    /// The most that leaves.
    public var mode: SharingMode {
      switch self {
      case .nothing: .off
      case .city: .approximate10km
      }
    }
  }

  /// Metres around a place that can be protected.
  public static let distances = 50.0...50_000
  /// Metres of the circle.
  static let radii = distances.lowerBound * scale...distances.upperBound * scale
  /// The circle is so many times larger than the distance that it protects.
  private static let scale = 1.5
  /// A circle may protect at most so many times the distance that was asked for.
  private static let largestReuse = 4.0

  /// As `PrivacyRules.checkedName` returns it; unique among the zones.
  public var name: String
  public var centre: Coordinate
  /// Metres.
  public var radiusMetres: Double
  public var allows: Allowance

  public var id: String { name }

  /// Metres around the protected place within which everything is held back.
  public var protectedDistance: Double { radiusMetres / Self.scale }

  /// A circle that is made already.
  public init(name: String, centre: Coordinate, radiusMetres: Double, allows: Allowance) {
    self.name = name
    self.centre = centre
    self.radiusMetres = radiusMetres
    self.allows = allows
  }

  /// A new circle around a place, with its centre at random beside it.
  ///
  /// - Parameter distance: Metres around the place that are protected, in `distances`.
  public init(
    name: String, around place: Coordinate, distance: Double, allows: Allowance,
    using generator: inout some RandomNumberGenerator
  ) {
    // Every part of the disc of half the distance is as likely as any other of the same size.
    let share = Double.random(in: 0...1, using: &generator).squareRoot()
    let centre = place.moved(
      by: share * (Self.scale - 1) * distance,
      towards: Double.random(in: 0..<360, using: &generator))
    self.init(name: name, centre: centre, radiusMetres: distance * Self.scale, allows: allows)
  }

  /// This zone with a circle that was made before, if the place lies in the middle third of one.
  /// Making new ones again and again would reveal the place, since the centres lie around it.
  ///
  /// The radius stays, unless the place is too far from the centre for it: then it is that of the
  /// circle. One that protects more than `largestReuse` times the distance is not taken.
  ///
  /// - Parameters:
  ///   - circles: The first one that will do is taken.
  ///   - place: What this zone was made around.
  public func reusing(_ circles: [PrivacyZone], around place: Coordinate) -> PrivacyZone {
    var zone = self
    for circle in circles {
      let offset = circle.centre.distance(to: place)
      let isInside = offset <= circle.middleThird
      if isInside, offset <= middleThird {
        zone.centre = circle.centre
        return zone
      }
      if isInside, circle.radiusMetres <= Self.largestReuse * radiusMetres {
        (zone.centre, zone.radiusMetres) = (circle.centre, circle.radiusMetres)
        return zone
      }
    }
    return zone
  }

  /// Metres from the centre within which the protected place lies.
  private var middleThird: Double { radiusMetres - protectedDistance }

  /// Whether a device that is known to this accuracy may be inside.
  ///
  /// - Parameter accuracyMetres: nil counts as exact, and what is no distance as anywhere.
  public func touches(_ place: Coordinate, accuracyMetres: Double?) -> Bool {
    let slack = accuracyMetres.map { $0.isFinite ? max(0, $0) : .infinity } ?? 0
    return centre.distance(to: place) - slack <= radiusMetres
  }

  // MARK: - Coding

  enum CodingKeys: String, CodingKey {
    case name, allows
    case radiusMetres = "radius_m"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    allows = try container.decode(Allowance.self, forKey: .allows)
    radiusMetres = try container.decode(Double.self, forKey: .radiusMetres)
    centre = try Coordinate(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(allows, forKey: .allows)
    try container.encode(radiusMetres, forKey: .radiusMetres)
    try centre.encode(to: encoder)
  }
}

/// The circle of a zone that was removed, kept so that the same place gets no second one. The
/// centres of several lie around the place and give it away.
public struct FormerCircle: Hashable, Sendable, Codable {
  /// How long it is kept.
  public static let lifetime = Duration.seconds(365 * 86_400)
  /// The most that one person has; the oldest go first.
  public static let limit = 64

  public var centre: Coordinate
  /// Metres.
  public var radiusMetres: Double
  public var removedAt: WireTime

  public init(of zone: PrivacyZone, removedAt: WireTime) {
    centre = zone.centre
    radiusMetres = zone.radiusMetres
    self.removedAt = removedAt
  }

  enum CodingKeys: String, CodingKey {
    case centre
    case radiusMetres = "radius_m"
    case removedAt = "removed_at"
  }

  /// As a zone, which nobody sees.
  var zone: PrivacyZone {
    PrivacyZone(name: "", centre: centre, radiusMetres: radiusMetres, allows: .nothing)
  }
}
