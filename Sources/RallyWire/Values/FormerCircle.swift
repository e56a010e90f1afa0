/// The circle of a zone that was removed, kept so that the same place gets no second one: the centres
/// of several lie around the place and give it away.
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
