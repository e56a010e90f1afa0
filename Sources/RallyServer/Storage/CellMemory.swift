import Foundation
import RallyWire

/// What is remembered of an announced cell while nobody may see it.
///
/// Going off and on again on an edge must tell no more than staying on. What is kept for that is no
/// position: marks of the announced cell and of the one that a move was to announce.
struct CellMemory: Hashable, Sendable {
  /// Longer than a night; afterwards the next report is a first one.
  static let lifetime = Duration.seconds(86_400)

  var mark: String
  /// Of a move that was not announced yet.
  var pendingMark: String?
  var due: WireTime?

  init(mark: String, pendingMark: String?, due: WireTime?) {
    self.mark = mark
    self.pendingMark = pendingMark
    self.due = due
  }

  init(of announced: AnnouncedCell) {
    mark = announced.mark
    pendingMark = announced.pending?.mark
    due = announced.pending?.due
  }

  /// The cell that was announced, when it is the one around `place` or next to it; nil for any
  /// other, which is forgotten.
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
      recalled.pending = .init(
        cell: cell(pendingMark) ?? announced, mark: pendingMark, due: due)
    }
    return recalled
  }
}

/// The table `location_memories`.
enum CellMemoryRecords {
  static func all(of owner: String, at time: WireTime, in database: Database) throws
    -> [GridLevel: CellMemory]
  {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT level, mark, pending_mark, due FROM location_memories
        WHERE owner = ? AND until > ?
        """, arguments: [owner, time.microseconds])
    return rows.reduce(into: [:]) { result, row in
      guard let level = GridLevel(rawValue: row[0]) else { return }
      let due: Int64? = row[3]
      result[level] = CellMemory(
        mark: row[1], pendingMark: row[2], due: due.map(WireTime.init(microseconds:)))
    }
  }

  /// - Parameter memory: nil forgets.
  static func set(
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

  static func trim(at time: WireTime, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM location_memories WHERE until <= ?", arguments: [time.microseconds])
  }
}
