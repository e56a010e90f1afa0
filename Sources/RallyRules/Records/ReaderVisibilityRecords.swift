import RallyStorage
import RallyWire

/// What a reader last received of a user's position: the precision, and a base for the version.
///
/// A reader's version is `base` plus that of their level in the stored row. It is kept while
/// nothing is shared, so that it only grows, and grows by one when the level changes, so that it
/// does not reveal how many changes more exact readers received.
package struct ReaderVisibility: Hashable, Sendable {
  /// The precision; `off` while the reader sees nothing.
  package var mode: SharingMode
  var base: Int64

  static let none = ReaderVisibility(mode: .off, base: 0)

  func version(in location: StoredLocation?) -> Int64 {
    base + (location?.version(for: mode) ?? 0)
  }

  /// The state after a change of the stored row or of the precision.
  func next(
    _ mode: SharingMode, from before: StoredLocation?, to after: StoredLocation?
  ) -> ReaderVisibility {
    guard mode != self.mode else { return self }
    let last = version(in: before)
    guard mode > .off else { return ReaderVisibility(mode: .off, base: last) }
    return ReaderVisibility(mode: mode, base: last + 1 - (after?.version(for: mode) ?? 0))
  }
}

/// The table `location_sights`.
package enum ReaderVisibilityRecords {
  /// The state of each reader of a user.
  package static func all(of owner: String, in database: Database) throws -> [String:
    ReaderVisibility]
  {
    let rows = try Row.fetchAll(
      database, sql: "SELECT reader, mode, base FROM location_sights WHERE owner = ?",
      arguments: [owner])
    return try rows.reduce(into: [:]) { result, row in
      result[try row["reader"]] = ReaderVisibility(mode: try row["mode"], base: try row["base"])
    }
  }

  static func owners(seenBy reader: String, in database: Database) throws -> [String] {
    try String.fetchAll(
      database,
      sql: "SELECT owner FROM location_sights WHERE reader = ? AND mode <> ? ORDER BY owner",
      arguments: [reader, SharingMode.off.rawValue])
  }

  package static func set(
    _ visibility: ReaderVisibility, of owner: String, for reader: String, in database: Database
  ) throws {
    try database.execute(
      sql: """
        INSERT INTO location_sights (owner, reader, mode, base) VALUES (?, ?, ?, ?)
        ON CONFLICT (owner, reader) DO UPDATE SET mode = excluded.mode, base = excluded.base
        """, arguments: [owner, reader, visibility.mode.rawValue, visibility.base])
  }
}
