import RallyWire

/// What a reader was last told of a person's position: how exact, and the number of changes so far.
///
/// A reader's version is `base` plus that of their level in the stored row. It survives while
/// nothing is seen, so that it only ever grows, and it moves on by one when the level changes, so
/// that it never tells how often a more exact reader was told something.
struct ReaderVisibility: Hashable, Sendable {
  /// How exact; `off` while the reader sees nothing.
  var mode: SharingMode
  var base: Int64

  static let none = ReaderVisibility(mode: .off, base: 0)

  func version(in location: StoredLocation?) -> Int64 {
    base + (location?.version(for: mode) ?? 0)
  }

  /// The sight after the stored row and what may be seen of it have changed.
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
enum ReaderVisibilityRecords {
  /// What each reader of a person was told last.
  static func all(of owner: String, in database: Database) throws -> [String: ReaderVisibility] {
    let rows = try Row.fetchAll(
      database, sql: "SELECT reader, mode, base FROM location_sights WHERE owner = ?",
      arguments: [owner])
    return rows.reduce(into: [:]) { result, row in
      result[row[0]] = sight(mode: row[1], base: row[2])
    }
  }

  /// Whose position a reader sees at all.
  static func owners(seenBy reader: String, in database: Database) throws -> [String] {
    try String.fetchAll(
      database,
      sql: "SELECT owner FROM location_sights WHERE reader = ? AND mode <> ? ORDER BY owner",
      arguments: [reader, SharingMode.off.rawValue])
  }

  static func sight(mode: String?, base: Int64?) -> ReaderVisibility {
    guard let mode = mode.flatMap(SharingMode.init(rawValue:)), let base else { return .none }
    return ReaderVisibility(mode: mode, base: base)
  }

  static func set(
    _ sight: ReaderVisibility, of owner: String, for reader: String, in database: Database
  ) throws {
    try database.execute(
      sql: """
        INSERT INTO location_sights (owner, reader, mode, base) VALUES (?, ?, ?, ?)
        ON CONFLICT (owner, reader) DO UPDATE SET mode = excluded.mode, base = excluded.base
        """, arguments: [owner, reader, sight.mode.rawValue, sight.base])
  }
}
