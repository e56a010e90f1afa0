import FoundationEssentials
import RallyText
import RallyWire

/// A member who is on the way to a mission, or has arrived.
public struct Coming: Hashable, Sendable, Identifiable {
  public let record: ComingRecord
  /// nil once they arrived, and where nothing of their position is shown to me.
  public let approach: Approach?
  /// Where they are, as they show it to me; nil as `approach` is.
  public let position: LocationRecord?

  public var id: UUID { record.userID }

  /// `1.2 km · 14 min at this pace`, `arrived 14:02`, `on the way` without a position.
  ///
  /// - Parameter clock: Says a time of day.
  public func words(clock: (WireTime) -> String) -> [String] {
    if let arrivedAt = record.arrivedAt { return ["arrived \(clock(arrivedAt))"] }
    return approach?.words ?? ["on the way"]
  }

  /// Those who come to a mission: who arrived first, then the nearest, then those without a
  /// position.
  ///
  /// - Parameters:
  ///   - rows: Of this and other missions.
  ///   - position: What is known of a person's position besides the row.
  ///   - track: Where a person was lately.
  public static func all(
    _ rows: [ComingRecord], to mission: Mission,
    position: (UUID) -> LocationRecord? = { _ in nil },
    track: (UUID) -> [TimedPlace] = { _ in [] }, at now: WireTime
  ) -> [Coming] {
    rows.filter {
      $0.missionID == mission.id && ($0.arrivedAt != nil || $0.isOnTheWay(at: now))
    }
    .map { row in
      let place = row.arrivedAt == nil ? position(row.userID) ?? row.location : nil
      return Coming(
        record: row,
        approach: place.flatMap {
          Approach(of: $0, to: mission.centre, track: track(row.userID), at: now)
        },
        position: place)
    }
    .sorted { $0.order < $1.order }
  }

  private var order: (Int, Int64, Double, String) {
    if let arrivedAt = record.arrivedAt {
      return (0, arrivedAt.microseconds, 0, record.username)
    }
    return (approach == nil ? 2 : 1, 0, approach?.distance ?? 0, record.username)
  }
}

/// What is said before somebody shows the way to a mission.
public struct OnMyWayOffer: Hashable, Sendable {
  /// The members who will see it.
  public let readers: [MissionMemberRecord]
  /// When it ends at the latest.
  public let until: WireTime
  private let radiusMetres: Double

  /// - Parameters:
  ///   - me: Who is on the way.
  ///   - readers: Of the members those who shall see it; nil for all.
  public init(
    to mission: Mission, from me: UUID?, among readers: Set<UUID>? = nil, at now: WireTime
  ) {
    self.readers = mission.joined.filter {
      $0.userID != me && readers?.contains($0.userID) != false
    }
    until = MissionRules.endOfWay(from: now, missionEndsAt: mission.record.endsAt)
    radiusMetres = mission.radiusMetres
  }

  /// Who sees what until when, one sentence each.
  ///
  /// - Parameters:
  ///   - limit: Names that are said; the others are counted.
  ///   - clock: Says a time of day.
  public func sentences(limit: Int = .max, clock: (WireTime) -> String) -> [String] {
    let names = readers.prefix(limit).map { "@\($0.username)" }.joined(separator: ", ")
    let rest = readers.count - min(limit, readers.count)
    return [
      "\(names)\(rest > 0 ? " and \(rest) more" : "") will see your precise position.",
      "It ends when you are within \(GeoText.distance(radiusMetres)), and at "
        + "\(clock(until)) at the latest.",
    ]
  }
}
