import Foundation
import RallyStorage
import RallyWire

/// Finds the open missions around a place that a reader may see, nearest first.
///
/// The search starts from the missions of the reader's friends and those the reader is part of,
/// never from all missions. Both are read along a Z-order curve, within the circle only; a circle
/// with too many missions is shrunk until it holds few more than requested. The cost does not grow
/// with the number of missions elsewhere.
struct NearbyMissions: Sendable {
  /// In a circle with fewer missions than this all distances are computed.
  static let fewEnough = 1000
  /// Approximate number of index ranges for one circle, over all friends.
  private static let entries = 4000
  /// Metres; smaller circles are not shrunk.
  private static let smallest = 0.05

  private struct Candidate {
    var id: String
    var distance: Double
  }

  let reader: MissionReader
  /// Neither stored nor logged.
  let centre: Coordinate

  /// - Parameter radius: Metres.
  func find(within radius: Double, slice: Slice, in database: Database) throws -> [StoredMission] {
    let needed = slice.offset + slice.limit
    guard slice.limit > 0 else { return [] }
    return try nearest(needed, within: radius, in: database)
      .dropFirst(slice.offset).prefix(slice.limit)
      .compactMap { try MissionRecords.find($0.id, in: database) }
  }

  /// At least the `needed` nearest if there are as many, sorted by distance.
  private func nearest(
    _ needed: Int, within radius: Double, in database: Database
  ) throws -> [Candidate] {
    // The stretches of the curve hold several times what the circle does.
    let limit = max(NearbyMissions.fewEnough, 16 * needed)
    let friends = try FriendRecords.friendIDs(of: reader.userID, in: database).count
    let stretches = min(max(NearbyMissions.entries / (friends + 1), 4), 32)
    func search(_ radius: Double, limit: Int?) throws -> [Candidate]? {
      try candidates(within: radius, stretches: stretches, limit: limit, in: database)
    }
    if let all = try search(radius, limit: limit) { return all }
    // Bisects between a circle with too many missions and one with too few.
    var (smaller, larger) = (0.0, radius)
    while larger > NearbyMissions.smallest, smaller == 0 || larger / smaller > 1.1 {
      let middle = smaller == 0 ? larger / 4 : (smaller * larger).squareRoot()
      guard let found = try search(middle, limit: limit) else {
        larger = middle
        continue
      }
      if found.count >= needed { return found }
      smaller = middle
    }
    // Very many missions lie close together: all of them are measured, in growing circles.
    while larger < radius {
      if let found = try search(larger, limit: nil), found.count >= needed { return found }
      larger = min(2 * larger, radius)
    }
    return try search(radius, limit: nil) ?? []
  }

  /// Everything in a circle, sorted by distance; nil when more than `limit` lie in the stretches
  /// of the curve that cover it.
  private func candidates(
    within radius: Double, stretches: Int, limit: Int?, in database: Database
  ) throws -> [Candidate]? {
    let (sql, arguments) = query(within: radius, stretches: stretches, limit: limit)
    let rows = try Row.fetchAll(database, sql: sql, arguments: arguments)
    if let limit, rows.count > limit { return nil }
    var seen: Set<String> = []
    return try rows.compactMap { row -> Candidate? in
      let id: String = try row["id"]
      guard seen.insert(id).inserted,
        let place = Coordinate(
          latitudeUnits: try row["latitude"], longitudeUnits: try row["longitude"])
      else { return nil }
      let distance = centre.distance(to: place)
      return distance <= radius ? Candidate(id: id, distance: distance) : nil
    }
    .sorted { ($0.distance, $0.id) < ($1.distance, $1.id) }
  }

  /// The query for missions in the curve's ranges that cover a circle.
  func query(
    within radius: Double, stretches: Int, limit: Int?
  ) -> (sql: String, arguments: StatementArguments) {
    let ranges = ZOrder.ranges(around: centre, radius: radius, limit: stretches)
    let marks = Array(repeating: "(?, ?)", count: ranges.count).joined(separator: ", ")
    var arguments = StatementArguments(ranges.flatMap { [$0.lowerBound, $0.upperBound] })
    let (me, time) = (reader.userID, reader.time.microseconds)
    arguments += [me, me, time, me, time, me, me, (limit ?? .max - 1) + 1]
    let sql = """
      WITH stretches(first, last) AS (VALUES \(marks)),
      friends(id) AS (
        SELECT larger FROM friendships WHERE smaller = ? AND status = 'accepted'
        UNION ALL SELECT smaller FROM friendships WHERE larger = ? AND status = 'accepted')
      SELECT id, latitude, longitude FROM (
        SELECT m.id AS id, m.latitude AS latitude, m.longitude AS longitude
        FROM friends f CROSS JOIN stretches s CROSS JOIN missions m
        WHERE m.creator = f.id AND m.z BETWEEN s.first AND s.last
          AND m.state = 'open' AND m.visibility = 'friends'
          AND (m.ends_at IS NULL OR m.ends_at > ?)
        UNION ALL
        SELECT m.id, m.latitude, m.longitude
        FROM stretches s CROSS JOIN mission_members b CROSS JOIN missions m
        WHERE b.user_id = ? AND b.z BETWEEN s.first AND s.last AND m.id = b.mission_id
          AND m.state = 'open' AND (m.ends_at IS NULL OR m.ends_at > ?)
          AND (b.state = 'joined' OR (m.visibility <> 'private' AND m.creator NOT IN (
            SELECT blocked FROM blocks WHERE blocker = ?
            UNION SELECT blocker FROM blocks WHERE blocked = ?)))) AS found
      LIMIT ?
      """
    return (sql, arguments)
  }
}
