import FoundationEssentials
import RallySystem
import RallyText
import RallyWire

/// Showing the way to a mission: what has to come before it is shown, and what an answer does.
@MainActor
public struct OnMyWay {
  /// What the key does next.
  public enum Step: Hashable, Sendable {
    /// The way is shown, and no longer will be.
    case end
    /// A ghost is seen by nobody.
    case ghost
    /// It must first be known where I am.
    case locate
    /// Nobody sees it before an answer.
    case ask
  }

  private let sharing: LocationSharingStore
  private let missions: MissionsStore
  private let provider: CurrentLocationProvider
  /// Me; nil before it is known.
  private let me: UUID?

  public init(
    sharing: LocationSharingStore, missions: MissionsStore, provider: CurrentLocationProvider,
    me: UUID?
  ) {
    self.sharing = sharing
    self.missions = missions
    self.provider = provider
    self.me = me
  }

  public func isOn(theWayTo mission: Mission, at now: WireTime) -> Bool {
    missions.coming.contains {
      $0.missionID == mission.id && $0.userID == me && $0.isOnTheWay(at: now)
    }
  }

  public func step(to mission: Mission, at now: WireTime) -> Step {
    if isOn(theWayTo: mission, at: now) { return .end }
    guard sharing.ghostPhase == nil else { return .ghost }
    return provider.coordinate == nil ? .locate : .ask
  }

  /// Asks all sources where I am: nothing measures before a position is shown to somebody or a map is
  /// open.
  ///
  /// - Returns: Whether it is known within ten seconds.
  public func locate() async -> Bool {
    await provider.survey(within: Self.locating).fix != nil
  }

  /// Whether the question at the start of a live mission can still be answered.
  public func isAsked(atStartOf mission: Mission) -> Bool {
    sharing.ghostPhase == nil && missions.liveMissions.contains { $0.id == mission.id }
  }

  /// Shows the way to these members, to all for whom it is shown then; ends it with nil.
  ///
  /// - What: Stores the way on the server and fetches missions again.
  /// - How: `LocationSharingStore.setOnMyWay`, then a refresh if it was done.
  /// - Why: The key ends or asks by what the refresh fetches.
  /// - Service Calls: None
  public func show(_ mission: Mission, to readers: [UUID]?) async -> IntentOutcome<Void> {
    let outcome = await sharing.setOnMyWay(to: mission.id, readers: readers)
    if outcome.isDone { await missions.refreshAll(mode: .refresh) }
    return outcome
  }

  /// How long sources may take to say where I am.
  private static let locating = Duration.seconds(10)
}

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

/// Where somebody was at a moment.
public struct TimedPlace: Hashable, Sendable {
  public var coordinate: Coordinate
  public var at: WireTime

  public init(_ coordinate: Coordinate, at time: WireTime) {
    self.coordinate = coordinate
    at = time
  }
}

/// How far somebody is from a place along the straight line, and how long that takes at the pace of
/// the last minutes. No street is looked at.
public struct Approach: Hashable, Sendable {
  public enum Pace: Hashable, Sendable {
    /// Minutes, at the faster and at the slower of what was measured. At least 1, from an hour on
    /// in steps of 5, from three hours on of 15.
    case minutes(ClosedRange<Int>)
    case notMoving
    /// They do not come nearer, or nothing is known of it.
    case unknown
  }

  /// Metres.
  public let distance: Double
  /// The radius around the known position within which they are, metres.
  public let uncertainty: Double
  public let pace: Pace

  /// What is older does not show how fast somebody is.
  static let window = Duration.seconds(600)
  /// Below this a receiver cannot distinguish walking from standing, metres a second.
  private static let slowest = 0.3
  /// Longer times say nothing.
  private static let longestMinutes = 600.0

  /// - Parameters:
  ///   - track: Where they were lately, the newest last; may be empty.
  ///   - now: A position that is older than ten minutes has no pace.
  /// - Returns: nil where the position names no place.
  public init?(
    of position: LocationRecord, to place: Coordinate, track: [TimedPlace], at now: WireTime
  ) {
    guard let here = position.coordinate else { return nil }
    let distance = here.distance(to: place)
    self.distance = distance
    uncertainty = position.precision.uncertaintyMetres(position.accuracyMetres)
    guard position.precision == .precise, now.since(position.recordedAt) < Self.window else {
      pace = .unknown
      return
    }
    pace = Self.pace(
      over: distance, to: place, track: track.filter { now.since($0.at) < Self.window },
      measured: position.speed)
  }

  private static func pace(
    over distance: Double, to place: Coordinate, track: [TimedPlace], measured: Double?
  ) -> Pace {
    guard let first = track.first, let last = track.last,
      last.at.since(first.at) >= .seconds(60)
    else {
      guard let measured else { return .unknown }
      return measured < slowest ? .notMoving : minutes(distance, at: [measured])
    }
    let moved = track.map { $0.coordinate.distance(to: last.coordinate) }.max() ?? 0
    if moved / (last.at.since(first.at) / .seconds(1)) < slowest { return .notMoving }
    // All of it, and its second half: between the two lies what is known.
    let halves = [first, track[track.count / 2]].compactMap { from -> Double? in
      let seconds = last.at.since(from.at) / .seconds(1)
      guard seconds >= 30 else { return nil }
      return (from.coordinate.distance(to: place) - last.coordinate.distance(to: place)) / seconds
    }
    return minutes(distance, at: halves)
  }

  private static func minutes(_ distance: Double, at speeds: [Double]) -> Pace {
    guard let slow = speeds.min(), let fast = speeds.max(), slow >= slowest,
      distance / slow / 60 <= longestMinutes
    else { return .unknown }
    // Beyond an hour no pace holds to the minute.
    func minutes(_ speed: Double, _ rule: FloatingPointRoundingRule) -> Int {
      let minutes = distance / speed / 60
      guard minutes >= 60 else { return max(1, Int(minutes.rounded())) }
      let step = minutes < 180 ? 5.0 : 15
      return Int((minutes / step).rounded(rule) * step)
    }
    return .minutes(minutes(fast, .down)...minutes(slow, .up))
  }

  /// `14 min`, `12–16 min`, `3 h 15–30 min`, `3 h 45 min–4 h`.
  private static func text(_ minutes: ClosedRange<Int>) -> String {
    let (least, most) = (minutes.lowerBound, minutes.upperBound)
    if least == most { return most.minutesText }
    if least / 60 == most / 60, least % 60 > 0 {
      return least.minutesText.dropLast(" min".count) + "–\((most % 60).minutesText)"
    }
    return "\(least.minutesText)–\(most.minutesText)"
  }

  /// `1.2 km · 14 min at this pace`, `1.2 km · 12–16 min at this pace`,
  /// `14.6 km · 3 h 15–30 min at this pace`, `300 m · not moving`.
  public var words: [String] {
    let way = GeoText.distance(distance, uncertainty: uncertainty)
    switch pace {
    case .minutes(let range):
      return [way, "\(Self.text(range)) at this pace"]
    case .notMoving: return [way, "not moving"]
    case .unknown: return [way]
    }
  }
}
