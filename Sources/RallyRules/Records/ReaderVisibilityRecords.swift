import Foundation
import RallyGate
import RallyStorage
import RallyWire

/// What a reader last received of a user's position: the precision, and a base for the version.
///
/// A reader's version is `base` plus that of their level in the stored row. It is kept while
/// nothing is shared, so that it only grows. It grows by one when the level changes, so that it
/// does not reveal how many changes more exact readers received.
package struct ReaderVisibility: Hashable, Sendable {
  /// The precision; `off` while the reader sees nothing.
  package var mode: SharingMode
  var base: Int64

  static let none = ReaderVisibility(mode: .off, base: 0)

  func version(in location: StoredLocation?) -> Int64 { base + (location?.version(for: mode) ?? 0) }

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

/// Marks of an announced cell, kept while nobody may see it.
///
/// Stopping and resuming sharing near an edge must reveal no more than continuous sharing. No
/// position is kept for this, only marks of the announced cell and of a pending one.
package struct CellMemory: Hashable, Sendable {
  /// After this the next report is treated as the first.
  static let lifetime = Duration.seconds(86_400)

  var mark: String
  /// The mark of a move that is not announced yet.
  var pendingMark: String?
  var due: WireTime?

  /// The announced cell if it contains `place` or is next to it; nil otherwise.
  func recalled(
    near place: Coordinate, level: GridLevel, since: WireTime, at now: WireTime,
    mark: (GridCell) -> String
  ) -> AnnouncedCell? {
    let near = GridCell(containing: place, level: level).neighbourhood
    func cell(_ wanted: String) -> GridCell? { near.first { mark($0) == wanted } }
    let isMoving = due.map { $0 > now } ?? false
    let wanted = isMoving ? self.mark : pendingMark ?? self.mark
    guard let announced = cell(wanted) else { return nil }
    var recalled = AnnouncedCell(cell: announced, since: since, version: 1, mark: wanted)
    if isMoving, let due, let pendingMark {
      recalled.pending = .init(cell: cell(pendingMark) ?? announced, mark: pendingMark, due: due)
    }
    return recalled
  }
}

extension CellMemory {
  init(of announced: AnnouncedCell) {
    mark = announced.mark
    pendingMark = announced.pending?.mark
    due = announced.pending?.due
  }
}

/// The table `location_memories`.
package enum CellMemoryRecords {
  package static func all(of owner: String, at time: WireTime, in database: Database) throws
    -> [GridLevel: CellMemory]
  {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT level, mark, pending_mark, due FROM location_memories
        WHERE owner = ? AND until > ?
        """, arguments: [owner, time.microseconds])
    return try rows.reduce(into: [:]) { result, row in
      result[try row["level"]] = CellMemory(
        mark: try row["mark"], pendingMark: try row["pending_mark"], due: try row["due"])
    }
  }

  /// - Parameter memory: nil deletes.
  package static func set(
    _ memory: CellMemory?, of owner: String, level: GridLevel, at time: WireTime,
    in database: Database
  ) throws {
    try database.execute(
      sql: "DELETE FROM location_memories WHERE owner = ? AND level = ?",
      arguments: [owner, level.rawValue])
    guard let memory else { return }
    try database.execute(
      sql: """
        INSERT INTO location_memories (owner, level, mark, pending_mark, due, until)
        VALUES (?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        owner, level.rawValue, memory.mark, memory.pendingMark, memory.due?.microseconds,
        time.advanced(by: CellMemory.lifetime).microseconds,
      ])
  }

  package static func trim(at time: WireTime, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM location_memories WHERE until <= ?", arguments: [time.microseconds])
  }
}
