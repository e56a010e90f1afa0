import Foundation
import RallyWire

/// A line that is to be written.
struct ActivityLine: Hashable, Sendable {
  var kind: ActivityKind
  var userID: String?
  var objective: StoredObjective?
  var text: String?
}

/// The table `mission_activity`. No line has a coordinate, a distance or an accuracy.
enum ActivityRecords {
  private static let columns = """
    a.id, a.mission_id, m.title, a.kind, a.user_id, p.username, p.display_name, a.objective_id,
    a.objective_title, a.text, a.created_at
    """
  private static let tables = """
    mission_activity a JOIN missions m ON m.id = a.mission_id
    LEFT JOIN profiles p ON p.id = a.user_id
    """
  /// Lines of people who do not exist for `:me` are not there.
  private static let isVisible =
    "(a.user_id IS NULL OR a.user_id NOT IN (\(BlockRecords.hidden)))"

  private static func line(_ row: Row) throws -> MissionActivityRecord {
    func id(_ text: String?) -> UUID? { text.flatMap(UUID.init(uuidString:)) }
    guard let own = id(row[0]), let mission = id(row[1]), let kind = ActivityKind(rawValue: row[3])
    else { throw StorageFailure.damaged("not an activity") }
    return MissionActivityRecord(
      id: own, missionID: mission, missionTitle: row[2], kind: kind, userID: id(row[4]),
      username: row[5], displayName: row[6], objectiveID: id(row[7]), objectiveTitle: row[8],
      text: row[9], createdAt: WireTime(microseconds: row[10]))
  }

  static func find(_ id: String, in database: Database) throws -> MissionActivityRecord? {
    try Row.fetchOne(
      database, sql: "SELECT \(columns) FROM \(tables) WHERE a.id = ?", arguments: [id]
    ).map(line)
  }

  static func count(in mission: String, from database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT count(*) FROM mission_activity WHERE mission_id = ?",
      arguments: [mission]) ?? 0
  }

  /// Writes a line at this time, or just after the last line of all, so that no two have the same.
  @discardableResult
  static func append(
    _ line: ActivityLine, to mission: String, at time: WireTime, in database: Database
  ) throws -> String {
    let last =
      try Int64.fetchOne(
        database, sql: "SELECT max(created_at) FROM mission_activity") ?? Int64.min
    let id = UUID().wireText
    try database.execute(
      sql: """
        INSERT INTO mission_activity
          (id, mission_id, kind, user_id, objective_id, objective_title, text, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        id, mission, line.kind.rawValue, line.userID, line.objective?.id.wireText,
        line.objective?.title, line.text, max(time.microseconds, last + 1),
      ])
    try ChangeLog.append(.insert, in: .missionActivity, key: id, at: time, to: database)
    return id
  }

  /// Removes what a person said, and their name from what they did. Where somebody does not know of
  /// the person, what they did goes as well: without a name it would appear to that one.
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

  /// A mission's lines before a moment, the newest first.
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

  /// The lines of all missions that a person is in, the newest first.
  ///
  /// The newest `limit` lines lie in the `limit` missions that were last heard of, and none is
  /// older than the last word of the last of these, so that nothing else is read: the time taken
  /// depends on how many missions the person is in, not on how much was ever said.
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
    let oldest: Int64 = rows.count < limit ? .min : rows.last?[1] ?? .min
    var lines: [MissionActivityRecord] = []
    for row in rows {
      lines += try self.lines(
        of: row[0], before: before, notOlderThan: oldest, for: reader, limit: limit, in: database)
    }
    return Array(lines.sorted { $0.createdAt > $1.createdAt }.prefix(limit))
  }
}
