import Foundation
import RallyStorage
import RallyWire

/// Who asked, and who was asked.
package struct LocationAskKey: Hashable, Sendable {
  package let asker: String
  package let asked: String

  /// The key of an entry of the change feed.
  var text: String { "\(asker)/\(asked)" }
}

extension LocationAskKey {
  package init?(_ text: String) {
    let parts = text.split(separator: "/").map(String.init)
    guard parts.count == 2 else { return nil }
    self.init(asker: parts[0], asked: parts[1])
  }
}

/// A friend's question where somebody is.
package struct LocationAsk: Hashable, Sendable {
  package let key: LocationAskKey
  let askedAt: WireTime
  /// Whether it waits for an answer. Whoever asked never learns it.
  package var isOpen = true
}

/// The table `location_asks`. A question stays until it is too old, also when it was closed, so that
/// whoever asked sees no difference.
package enum LocationAskRecords {
  private static let columns = "a.asker, a.asked, a.asked_at, a.is_open"

  private static func ask(_ row: Row) throws -> LocationAsk {
    LocationAsk(
      key: LocationAskKey(asker: try row["asker"], asked: try row["asked"]),
      askedAt: try row["asked_at"], isOpen: try row["is_open"])
  }

  package static func find(_ key: LocationAskKey, in database: Database) throws -> LocationAsk? {
    try Row.fetchOne(
      database, sql: "SELECT \(columns) FROM location_asks a WHERE a.asker = ? AND a.asked = ?",
      arguments: [key.asker, key.asked]
    ).map(ask)
  }

  /// Asks, or asks anew, which is announced as an insert too: whether an older question is still
  /// stored reveals nothing.
  package static func set(_ ask: LocationAsk, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO location_asks (asker, asked, asked_at, is_open) VALUES (?, ?, ?, ?)
        ON CONFLICT (asker, asked)
        DO UPDATE SET asked_at = excluded.asked_at, is_open = excluded.is_open
        """,
      arguments: [ask.key.asker, ask.key.asked, ask.askedAt.microseconds, ask.isOpen])
    try ChangeLog.append(
      .insert, in: .locationAsks, key: ask.key.text, at: ask.askedAt, to: database)
  }

  /// Closes an open question; nothing happens without one.
  static func close(_ key: LocationAskKey, at time: WireTime, in database: Database) throws {
    guard try find(key, in: database)?.isOpen == true else { return }
    try database.execute(
      sql: "UPDATE location_asks SET is_open = 0 WHERE asker = ? AND asked = ?",
      arguments: [key.asker, key.asked])
    try ChangeLog.append(
      .delete, in: .locationAsks, key: key.text, audience: [key.asked], at: time, to: database)
  }

  /// What others ask a user and the user has not closed, and what the user asked others, whatever
  /// became of it; the newest first.
  ///
  /// - Parameter time: Those that are too old by it are left out, and those that lie ahead: the clock
  ///   was put back since.
  package static func rows(
    of person: String, at time: WireTime, in database: Database
  ) throws -> [LocationAskRecord] {
    let moments = time.recentMoments(within: LocationAskRecord.lifetime)
    return try Row.fetchAll(
      database,
      sql: """
        SELECT p.id, p.username, p.display_name, a.asked_at,
          CASE WHEN a.asked = :me THEN 'incoming' ELSE 'outgoing' END AS direction
        FROM location_asks a
        JOIN profiles p ON p.id = CASE WHEN a.asked = :me THEN a.asker ELSE a.asked END
        WHERE (a.asked = :me AND a.is_open = 1 OR a.asker = :me)
          AND a.asked_at BETWEEN :oldest AND :newest
        ORDER BY a.asked_at DESC, p.id, direction
        """,
      arguments: [
        "me": person, "oldest": moments.lowerBound.microseconds,
        "newest": moments.upperBound.microseconds,
      ]
    ).map { row in
      let direction: String = try row["direction"]
      return LocationAskRecord(
        userID: try row["id"], username: try row["username"],
        displayName: try row["display_name"],
        direction: RequestDirection(rawValue: direction) ?? .incoming,
        askedAt: try row["asked_at"])
    }
  }

  /// The friends who asked a user, also those whose questions were closed.
  ///
  /// - Parameters:
  ///   - time: As of `rows`.
  ///   - last: Those who asked until then are left out.
  static func askers(
    of person: String, after last: WireTime?, at time: WireTime, in database: Database
  ) throws -> [String] {
    let moments = time.recentMoments(within: LocationAskRecord.lifetime)
    // One that lies ahead is from before the clock was put back.
    let known = last.flatMap { moments.contains($0) ? $0 : nil }
    return try String.fetchAll(
      database,
      sql: """
        SELECT asker FROM location_asks
        WHERE asked = ? AND asked_at > ? AND asked_at BETWEEN ? AND ?
        """,
      arguments: [
        person, (known ?? WireTime(microseconds: 0)).microseconds,
        moments.lowerBound.microseconds, moments.upperBound.microseconds,
      ])
  }

  /// Deletes the questions of two users to each other.
  static func forget(_ a: String, _ b: String, in database: Database) throws {
    try database.execute(
      sql: """
        DELETE FROM location_asks WHERE (asker = :a AND asked = :b) OR (asker = :b AND asked = :a)
        """, arguments: ["a": a, "b": b])
  }

  /// Deletes the questions that are over, and those that lie ahead.
  package static func trim(at time: WireTime, in database: Database) throws {
    let moments = time.recentMoments(within: LocationAskRecord.lifetime)
    try database.execute(
      sql: "DELETE FROM location_asks WHERE asked_at NOT BETWEEN ? AND ?",
      arguments: [moments.lowerBound.microseconds, moments.upperBound.microseconds])
  }
}
