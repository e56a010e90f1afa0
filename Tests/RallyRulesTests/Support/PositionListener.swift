import Foundation
import RallyText
import RallyWire
import Testing

/// What one reader has pieced together from events alone.
struct PositionListener {
  var rows: [UUID: LocationRecord] = [:]
  /// The last version of each person's row that was ever seen.
  var versions: [UUID: Int64] = [:]

  /// Every event must make sense after those before.
  mutating func hear(_ frame: String) throws {
    let json = try WireJSON.decode(JSONValue.self, from: Data(frame.utf8))
    guard json["event"] == "postgres_changes", let data = json["payload"]?["data"] else {
      Issue.record("an unexpected frame: \(frame)")
      return
    }
    let event = try data.decoded(as: ChangeEvent.self)
    guard event.type != .delete else {
      #expect(event.record == nil)
      #expect(event.oldRecord?.keys.sorted() == ["user_id"])
      let id = try #require(event.oldRecord?["user_id"]?.string.flatMap { UUID(uuidString: $0) })
      #expect(rows.removeValue(forKey: id) != nil, "a DELETE of what was never seen")
      return
    }
    let row = try JSONValue.object(try #require(event.record)).decoded(as: LocationRecord.self)
    #expect((rows[row.userID] == nil) == (event.type == .insert))
    #expect(row.version > versions[row.userID] ?? 0)
    rows[row.userID] = row
    versions[row.userID] = row.version
  }
}
