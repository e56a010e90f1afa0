import RallyWire

/// Where a friend is, as exactly as they let me see it.
public struct FriendPosition: Hashable, Sendable, Identifiable {
  public var profile: CommunityProfile
  public var coordinate: Coordinate
  /// Metres; the size of the cell where the position is coarse, nil where nobody knows.
  public var accuracyMetres: Double?
  /// Metres a second; nil for a coarse position.
  public var speed: Double?
  /// Degrees clockwise from north, 0..<360; nil for a coarse position.
  public var course: Double?
  /// Percent, 0...100; nil for a coarse position.
  public var battery: Double?
  /// When it was measured; for a coarse position since when the friend is in the cell.
  public var recordedAt: WireTime
  /// Never `off`.
  public var precision: SharingMode
  /// Where it came from, in a word; cleaned for display.
  public var source: String

  public var id: CommunityProfile.ID { profile.id }

  /// - Returns: nil where the row's numbers name no place.
  public init?(_ record: LocationRecord, of profile: CommunityProfile) {
    guard let coordinate = record.coordinate else { return nil }
    self.profile = profile
    self.coordinate = coordinate
    accuracyMetres = record.accuracyMetres
    speed = record.speed
    course = record.course
    battery = record.battery
    recordedAt = record.recordedAt
    precision = record.precision
    source = record.source.cleanedForDisplay
  }

  public func age(at now: WireTime) -> PositionAge { PositionAge(of: recordedAt, at: now) }

  /// Whether the map still shows it: a precise position for a day, a coarse one, which says since
  /// when somebody is there, for a week.
  public func isShown(at now: WireTime) -> Bool { now.since(recordedAt) < lifetime }

  /// When its mark changes next, or it leaves the map; nil once it has left.
  public func nextChange(after now: WireTime) -> WireTime? {
    [PositionAge.freshEnd, PositionAge.olderEnd, lifetime]
      .map(recordedAt.advanced(by:)).first { $0 > now }
  }

  /// Whether the friend is on the move, so that a direction can be drawn: at least 0.5 m/s with
  /// a known course.
  public var isMoving: Bool { course != nil && (speed ?? 0) >= 0.5 }

  private var lifetime: Duration {
    .seconds(precision == .precise ? 24 * 3600 : 7 * 24 * 3600)
  }
}
