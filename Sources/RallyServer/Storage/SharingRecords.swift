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

/// The table `location_sharing`. The row whose friend is the owner is the owner's default.
enum SharingRecords {
  /// All decisions of a person, by friend; those that ended may be among them.
  static func all(of owner: String, in database: Database) throws -> [String: Sharing] {
    let rows = try Row.fetchAll(
      database, sql: "SELECT friend, mode, until FROM location_sharing WHERE owner = ?",
      arguments: [owner])
    return try rows.reduce(into: [:]) { result, row in
      result[row[0]] = try sharing(mode: row[1], until: row[2])
    }
  }

  /// - Returns: nil without a mode.
  static func sharing(mode: String?, until: Int64?) throws -> Sharing? {
    guard let mode else { return nil }
    guard let mode = SharingMode(rawValue: mode) else {
      throw StorageFailure.damaged("not a mode")
    }
    return Sharing(mode: mode, until: until.map(WireTime.init(microseconds:)))
  }

  /// - Parameter friend: The owner for the default.
  static func set(
    _ sharing: Sharing, of owner: String, for friend: String, in database: Database
  ) throws {
    try database.execute(
      sql: """
        INSERT INTO location_sharing (owner, friend, mode, until) VALUES (?, ?, ?, ?)
        ON CONFLICT (owner, friend) DO UPDATE SET mode = excluded.mode, until = excluded.until
        """,
      arguments: [owner, friend, sharing.mode.rawValue, sharing.until?.microseconds])
  }

  /// Forgets what two people decided about each other.
  static func forget(_ a: String, _ b: String, in database: Database) throws {
    try database.execute(
      sql: """
        DELETE FROM location_sharing
        WHERE (owner = :a AND friend = :b) OR (owner = :b AND friend = :a)
        """, arguments: ["a": a, "b": b])
  }

  // MARK: - Ends

  /// When the next decision ends; nil when none does.
  static func earliestEnd(in database: Database) throws -> WireTime? {
    try Int64.fetchOne(
      database, sql: "SELECT min(until) FROM location_sharing WHERE until IS NOT NULL"
    ).map(WireTime.init(microseconds:))
  }

  /// Removes decisions that ended, and says whose they were.
  static func removeEnded(at time: WireTime, in database: Database) throws -> [String] {
    let owners = try String.fetchAll(
      database,
      sql: "SELECT DISTINCT owner FROM location_sharing WHERE until <= ? ORDER BY owner",
      arguments: [time.microseconds])
    try database.execute(
      sql: "DELETE FROM location_sharing WHERE until <= ?", arguments: [time.microseconds])
    return owners
  }
}
