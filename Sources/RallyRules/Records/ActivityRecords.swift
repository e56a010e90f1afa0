import Foundation
import RallyStorage
import RallyWire

package struct ActivityLine: Hashable, Sendable {
  var kind: ActivityKind
  var userID: String?
  var objective: StoredObjective?
  var text: String?
}

/// The table `mission_activity`. Lines contain no coordinate, distance or accuracy.
package enum ActivityRecords {
  private enum Column: Int, TableColumn {
    case id, missionID, kind, userID, objectiveID, objectiveTitle, text, createdAt
  }

  private static let table = StoredTable<Column>("mission_activity", as: "a", key: [.id])
  private static let columns = table.columns + ", m.title, p.username, p.display_name"
  private static let tables = """
    mission_activity a JOIN missions m ON m.id = a.mission_id
    LEFT JOIN profiles p ON p.id = a.user_id
    """
  /// Leaves out lines of users hidden from `:me`.
  private static let isVisible =
    "(a.user_id IS NULL OR a.user_id NOT IN (\(BlockRecords.hidden)))"

  private static func line(_ row: Row) throws -> MissionActivityRecord {
    MissionActivityRecord(
      id: try row[Column.id], missionID: try row[Column.missionID], missionTitle: try row["title"],
      kind: try row[Column.kind], userID: try row[Column.userID], username: try row["username"],
      displayName: try row["display_name"], objectiveID: try row[Column.objectiveID],
      objectiveTitle: try row[Column.objectiveTitle], text: try row[Column.text],
      createdAt: try row[Column.createdAt])
  }

  package static func find(_ id: String, in database: Database) throws -> MissionActivityRecord? {
    try Row.fetchOne(
      database, sql: "SELECT \(columns) FROM \(tables) WHERE a.id = ?", arguments: [id]
    ).map(line)
  }

  package static func count(in mission: String, from database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT count(*) FROM mission_activity WHERE mission_id = ?",
      arguments: [mission]) ?? 0
  }

  /// Writes a line. Its time is later than that of every other line, since times are cursors of
  /// pages.
  @discardableResult
  package static func append(
    _ line: ActivityLine, to mission: String, at time: WireTime, in database: Database
  ) throws -> String {
    let last =
      try Int64.fetchOne(database, sql: "SELECT max(created_at) FROM mission_activity") ?? Int64.min
    let id = UUID().wireText
    try table.insert(into: database) { column in
      switch column {
      case .id: id
      case .missionID: mission
      case .kind: line.kind
      case .userID: line.userID
      case .objectiveID: line.objective?.id
      case .objectiveTitle: line.objective?.title
      case .text: line.text
      case .createdAt: max(time.microseconds, last + 1)
      }
    }
    try ChangeLog.append(.insert, in: .missionActivity, key: id, at: time, to: database)
    return id
  }

  /// Deletes a user's messages, and removes their name from other lines. In missions with a member
  /// hidden from the user all lines are deleted: without the name that member would see them.
  static func forget(author: String, in database: Database) throws {
    try database.execute(
      sql: """
        DELETE FROM mission_activity
        WHERE user_id = :me AND (kind = :said OR EXISTS (SELECT 1 FROM mission_members b
          WHERE b.mission_id = mission_activity.mission_id
            AND b.user_id IN (\(BlockRecords.hidden))))
        """, arguments: ["me": author, "said": ActivityKind.said.rawValue])
    try database.execute(
      sql: "UPDATE mission_activity SET user_id = NULL WHERE user_id = ?", arguments: [author])
  }

  // MARK: - Pages

  /// A mission's lines before a time, newest first.
  static func lines(
    of mission: String, before: WireTime?, notOlderThan oldest: Int64 = .min, for reader: String,
    limit: Int, in database: Database
  ) throws -> [MissionActivityRecord] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT \(columns) FROM \(tables)
        WHERE a.mission_id = :mission AND a.created_at < :before AND a.created_at >= :oldest
          AND \(isVisible)
        ORDER BY a.created_at DESC LIMIT :limit
        """,
      arguments: [
        "mission": mission, "before": before?.microseconds ?? .max, "oldest": oldest, "me": reader,
        "limit": limit,
      ]
    ).map(line)
  }

  /// The lines of all missions that a user is in, newest first.
  ///
  /// The newest `limit` lines are in the `limit` missions with the latest activity, and none is
  /// older than the last line of the last of these. Only those are read: the cost depends on the
  /// number of missions, not of lines.
  static func lines(
    ofAllOf reader: String, before: WireTime?, limit: Int, in database: Database
  ) throws -> [MissionActivityRecord] {
    guard limit > 0 else { return [] }
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT mission_id, latest FROM (
          SELECT b.mission_id AS mission_id, (
            SELECT a.created_at FROM mission_activity a
            WHERE a.mission_id = b.mission_id AND a.created_at < :before AND \(isVisible)
            ORDER BY a.created_at DESC LIMIT 1) AS latest
          FROM mission_members b WHERE b.user_id = :me AND b.state = 'joined') AS mine
        WHERE latest IS NOT NULL ORDER BY latest DESC LIMIT :limit
        """,
      arguments: ["before": before?.microseconds ?? .max, "me": reader, "limit": limit])
    let oldest = rows.count < limit ? nil : try rows.last.map { try $0["latest"] as Int64 }
    var lines: [MissionActivityRecord] = []
    for row in rows {
      lines += try self.lines(
        of: try row["mission_id"], before: before, notOlderThan: oldest ?? .min, for: reader,
        limit: limit, in: database)
    }
    return Array(lines.sorted { $0.createdAt > $1.createdAt }.prefix(limit))
  }
}

/// The table `written`: the bytes of text that each user has stored in missions.
enum WrittenRecords {
  static func bytes(of person: String, in database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT bytes FROM written WHERE user_id = ?", arguments: [person]) ?? 0
  }

  static func add(_ bytes: Int, to person: String, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO written (user_id, bytes) VALUES (:person, :bytes)
        ON CONFLICT (user_id) DO UPDATE SET bytes = written.bytes + :bytes
        """, arguments: ["person": person, "bytes": bytes])
  }
}
