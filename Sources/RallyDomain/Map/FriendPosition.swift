import FoundationEssentials
import RallySystem
import RallyText
import RallyWire

/// A friend's position, with the precision that they share.
public struct FriendPosition: Hashable, Sendable, Identifiable {
  public var profile: CommunityProfile
  public var coordinate: Coordinate
  /// Metres; the cell size of a coarse position; nil if unknown.
  public var accuracyMetres: Double?
  /// Metres a second; nil for a coarse position.
  public var speed: Double?
  /// Degrees clockwise from north, 0..<360; nil for a coarse position.
  public var course: Double?
  /// Percent, 0...100; nil for a coarse position.
  public var battery: Double?
  /// When it was measured; for a coarse position, when the friend entered the cell.
  public var recordedAt: WireTime
  /// Never `off`.
  public var precision: SharingMode
  /// Where it came from, in a word.
  public var source: String

  public var id: CommunityProfile.ID { profile.id }

  /// - Returns: nil if the row's coordinates are invalid.
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
    source = record.source
  }

  /// How old it may be at the least; of a coarse time only the quarter of an hour is known.
  public func age(at now: WireTime) -> PositionAge { PositionAge(of: latestTime, at: now) }

  /// The end of the quarter of an hour in which a coarse position was taken; the very time of a
  /// precise one.
  public var latestTime: WireTime {
    precision == .precise ? recordedAt : recordedAt.advanced(by: .quarterHour)
  }

  /// The radius around the coordinate within which the friend is, metres. Of a coarse position it
  /// is half the diagonal of its cell, and a little more since a cell holds until it was clearly
  /// left.
  public var uncertaintyMetres: Double { precision.uncertaintyMetres(accuracyMetres) }

  /// How far away it is, in words and with no more than is known: `140 m NE`, `about 20 km SE`,
  /// `within 10 km`, `here`.
  ///
  /// - Parameter wind: How a bearing in degrees is written.
  public func way(
    from here: Coordinate, wind: (Double) -> String = GeoText.compass
  ) -> String {
    let metres = here.distance(to: coordinate)
    let words = GeoText.distance(metres, uncertainty: uncertaintyMetres)
    guard GeoText.isDirected(metres, uncertainty: uncertaintyMetres),
      let bearing = here.bearing(to: coordinate)
    else { return words }
    return "\(words) \(wind(bearing))"
  }

  /// Why the map does not show it: `stale`, or nil while it does.
  public func withheld(at now: WireTime) -> WithheldReason? {
    WithheldReason(age: now.since(recordedAt), precision: precision)
  }

  /// Whether the map still shows it.
  public func isShown(at now: WireTime) -> Bool { withheld(at: now) == nil }

  /// Whether the friend is on the move, so that a direction can be drawn: at least 0.5 m/s with
  /// a known course.
  public var isMoving: Bool { course != nil && (speed ?? 0) >= 0.5 }
}

extension SharingMode {
  /// The radius around a coordinate of this precision within which somebody is, metres.
  ///
  /// - Parameter accuracy: Of the position, metres; the cell size of a coarse one.
  func uncertaintyMetres(_ accuracy: Double?) -> Double {
    self == .precise ? accuracy ?? 0 : 0.75 * (accuracy ?? 10_000)
  }
}

/// The age of a position in three steps, each with a glyph.
public enum PositionAge: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
  /// Under ten minutes.
  case fresh
  /// Under six hours.
  case older
  case old

  /// `●`, `○` or `◌`.
  public var mark: String {
    switch self {
    case .fresh: "●"
    case .older: "○"
    case .old: "◌"
    }
  }

  /// A time in the future (clocks differ) counts as fresh.
  public init(of time: WireTime, at now: WireTime) {
    let age = now.since(time)
    self = age < Self.freshEnd ? .fresh : age < Self.olderEnd ? .older : .old
  }

  public static func < (one: PositionAge, other: PositionAge) -> Bool {
    one.rank < other.rank
  }

  static let freshEnd = Duration.seconds(600)
  static let olderEnd = Duration.seconds(6 * 3600)

  private var rank: Int {
    switch self {
    case .fresh: 0
    case .older: 1
    case .old: 2
    }
  }
}

/// The positions of others, row by row. Fetched lists and single events merge by version. So
/// neither an answer that was overtaken nor an event that came late brings back what is past.
struct PositionTable: Hashable, Sendable {
  /// Points of one friend's trail that are kept.
  static let trailLimit = 120

  private(set) var records: [UUID: LocationRecord] = [:]
  /// Where friends went since the program started, the newest last; precise positions only.
  private(set) var trails: [UUID: [Coordinate]] = [:]
  /// Where people were in the last minutes, the newest last; precise positions only.
  private(set) var tracks: [UUID: [TimedPlace]] = [:]
  /// The event that touched a person last, by its number.
  private var touched: [UUID: Int] = [:]
  private var eventCount = 0

  init() {}

  /// Positions of an earlier run, without the way there.
  init(_ rows: [LocationRecord]) {
    for row in rows { records[row.userID] = row }
  }

  /// A moment to hand to `replace`, taken before its rows are asked for.
  var mark: Int { eventCount }

  /// Takes a change as it happened; one that is older than what is known is left out.
  mutating func apply(_ record: LocationRecord) {
    eventCount += 1
    touched[record.userID] = eventCount
    if let known = records[record.userID], known.version > record.version { return }
    set(record)
  }

  /// I no longer see this person.
  mutating func remove(_ userID: UUID) {
    eventCount += 1
    touched[userID] = eventCount
    records[userID] = nil
    trails[userID] = nil
    tracks[userID] = nil
  }

  /// Takes a fetched list for the truth, except about those of whom an event came since `mark`.
  mutating func replace(with rows: [LocationRecord], since mark: Int) {
    var listed: Set<UUID> = []
    for row in rows {
      listed.insert(row.userID)
      if touched[row.userID, default: 0] > mark {
        guard let known = records[row.userID], known.version < row.version else { continue }
      }
      set(row)
    }
    // Nobody asks again about what came before.
    touched = touched.filter { $0.value > mark }
    for id in records.keys where !listed.contains(id) && touched[id, default: 0] <= mark {
      records[id] = nil
      trails[id] = nil
      tracks[id] = nil
    }
  }

  private mutating func set(_ record: LocationRecord) {
    records[record.userID] = record
    guard record.precision == .precise, let coordinate = record.coordinate else {
      // What was walked while more was shown is not to be kept in view.
      trails[record.userID] = nil
      tracks[record.userID] = nil
      return
    }
    follow(record.userID, to: TimedPlace(coordinate, at: record.recordedAt))
    var trail = trails[record.userID] ?? []
    if trail.last == coordinate { return }
    trail.append(coordinate)
    if trail.count > Self.trailLimit { trail.removeFirst(trail.count - Self.trailLimit) }
    trails[record.userID] = trail
  }

  private mutating func follow(_ person: UUID, to place: TimedPlace) {
    var track = tracks[person] ?? []
    if let last = track.last, last.at >= place.at { return }
    track.append(place)
    track.removeAll { place.at.since($0.at) >= Approach.window }
    tracks[person] = track.suffix(Self.trailLimit)
  }
}

/// What the first frame of the map is drawn from.
struct MapSnapshot: StoreSnapshot {
  static let name = "map"

  var positions: [LocationRecord]
  /// When it was fetched.
  var asOf: WireTime
}
