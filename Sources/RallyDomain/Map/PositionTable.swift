import FoundationEssentials
import RallySystem
import RallyWire

/// The positions of others, row by row: fetched lists and single events merge by version, so that
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
