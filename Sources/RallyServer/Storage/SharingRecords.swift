import Foundation
import RallyWire

/// One person's decision about who sees how much of their position.
struct Sharing: Hashable, Sendable {
  var mode: SharingMode
  /// When it ends; nil for never.
  var until: WireTime?

  /// Without a decision nothing is shared.
  static let unset = Sharing(mode: .off, until: nil)

  func holds(at time: WireTime) -> Bool { until.map { time < $0 } ?? true }
}

/// Everything that one person decided about their position.
struct SharingDecisions: Sendable {
  let owner: String
  /// By friend, the default under the owner; decisions that ended may be among them.
  fileprivate(set) var decisions: [String: Sharing] = [:]
  /// The friends whose share ended and was removed, with nothing decided since; the owner for the
  /// default.
  fileprivate(set) var ended: Set<String> = []

  /// - Parameter friend: nil for a friend without a decision of their own.
  func permission(for friend: String?, at time: WireTime) -> SharingPermission {
    SharingPermission(
      own: friend.flatMap { decisions[$0] }, default: decisions[owner],
      hasEnded: friend.map(ended.contains) ?? false || ended.contains(owner), at: time)
  }
}

/// The tables `location_sharing` and `ended_shares`. The row whose friend is the owner is the
/// owner's default. `ended_shares` only explains: nothing is shown or hidden by it.
enum SharingRecords {
  static func all(of owner: String, in database: Database) throws -> SharingDecisions {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT friend, mode, until FROM location_sharing WHERE owner = :owner
        UNION ALL
        SELECT friend, NULL, NULL FROM ended_shares WHERE owner = :owner
        """, arguments: ["owner": owner])
    return try rows.reduce(into: SharingDecisions(owner: owner)) { result, row in
      if let sharing = try sharing(mode: row[1], until: row[2]) {
        result.decisions[row[0]] = sharing
      } else {
        result.ended.insert(row[0])
      }
    }
  }

  /// One decision; nil where there is none. It may have ended.
  static func find(_ key: SharingKey, in database: Database) throws -> Sharing? {
    guard
      let row = try Row.fetchOne(
        database, sql: "SELECT mode, until FROM location_sharing WHERE owner = ? AND friend = ?",
        arguments: [key.owner, key.friend])
    else { return nil }
    return try sharing(mode: row[0], until: row[1])
  }

  /// - Returns: nil without a mode.
  static func sharing(mode: String?, until: Int64?) throws -> Sharing? {
    guard let mode else { return nil }
    guard let mode = SharingMode(rawValue: mode) else {
      throw StorageFailure.damaged("not a mode")
    }
    return Sharing(mode: mode, until: until.map(WireTime.init(microseconds:)))
  }

  /// - Parameters:
  ///   - friend: The owner for the default.
  ///   - time: When it was decided, for the feed.
  static func set(
    _ sharing: Sharing, of owner: String, for friend: String, at time: WireTime,
    in database: Database
  ) throws {
    let key = SharingKey(owner: owner, friend: friend)
    let isKnown = try find(key, in: database) != nil
    try ChangeLog.append(
      isKnown ? .update : .insert, in: .locationSharing, key: key.text, at: time, to: database)
    try database.execute(
      sql: """
        INSERT INTO location_sharing (owner, friend, mode, until) VALUES (?, ?, ?, ?)
        ON CONFLICT (owner, friend) DO UPDATE SET mode = excluded.mode, until = excluded.until
        """,
      arguments: [owner, friend, sharing.mode.rawValue, sharing.until?.microseconds])
    try database.execute(
      sql: "DELETE FROM ended_shares WHERE owner = ? AND friend = ?", arguments: [owner, friend])
  }

  /// Forgets what two people decided about each other.
  static func forget(
    _ a: String, _ b: String, at time: WireTime, in database: Database
  ) throws {
    for key in [SharingKey(owner: a, friend: b), SharingKey(owner: b, friend: a)]
    where try find(key, in: database) != nil {
      try noteDeletion(of: key, at: time, in: database)
    }
    for table in ["location_sharing", "ended_shares"] {
      try database.execute(
        sql: """
          DELETE FROM \(table)
          WHERE (owner = :a AND friend = :b) OR (owner = :b AND friend = :a)
          """, arguments: ["a": a, "b": b])
    }
  }

  // MARK: - Ends

  /// When the next decision ends; nil when none does.
  static func earliestEnd(in database: Database) throws -> WireTime? {
    try Int64.fetchOne(
      database, sql: "SELECT min(until) FROM location_sharing WHERE until IS NOT NULL"
    ).map(WireTime.init(microseconds:))
  }

  /// Removes decisions that ended, and notes those that showed something.
  ///
  /// - Returns: Their owners, in order.
  static func removeEnded(at time: WireTime, in database: Database) throws -> [String] {
    let keys = try Row.fetchAll(
      database,
      sql: """
        SELECT owner, friend FROM location_sharing WHERE until <= ? ORDER BY owner, friend
        """, arguments: [time.microseconds]
    ).map { SharingKey(owner: $0[0], friend: $0[1]) }
    for key in keys { try noteDeletion(of: key, at: time, in: database) }
    try database.execute(
      sql: """
        INSERT INTO ended_shares (owner, friend)
        SELECT owner, friend FROM location_sharing WHERE until <= ? AND mode <> ?
        ON CONFLICT (owner, friend) DO NOTHING
        """, arguments: [time.microseconds, SharingMode.off.rawValue])
    try database.execute(
      sql: "DELETE FROM location_sharing WHERE until <= ?", arguments: [time.microseconds])
    return Set(keys.map(\.owner)).sorted()
  }

  private static func noteDeletion(
    of key: SharingKey, at time: WireTime, in database: Database
  ) throws {
    try ChangeLog.append(
      .delete, in: .locationSharing, key: key.text, audience: [key.owner], at: time, to: database)
  }
}
