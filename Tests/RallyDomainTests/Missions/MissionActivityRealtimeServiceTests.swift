import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

@Suite struct MissionActivityRealtimeServiceTests {
  private func change(
    _ table: String, _ type: ChangeEvent.Kind, _ row: [String: JSONValue]
  ) -> MissionChange {
    MissionChange(
      ChangeEvent(
        schema: "public", table: table, type: type, commitTimestamp: Samples.time.zulu,
        columns: [], record: type == .delete ? nil : row,
        oldRecord: type == .delete ? row : nil))
  }

  @Test func `each table's rows name their mission in their own way`() {
    let id = Samples.id(7)
    let text = JSONValue.string(id.wireText)
    #expect(change("missions", .update, ["id": text]) == .mission(id))
    #expect(change("missions", .delete, ["id": text]) == .mission(id))
    #expect(
      change("mission_members", .insert, ["mission_id": text, "user_id": "x"]) == .mission(id))
    #expect(
      change("mission_activity", .insert, ["id": "x", "mission_id": text])
        == .activity(missionID: id))
    // What cannot be read is a hint about everything.
    #expect(change("mission_activity", .insert, ["id": text]) == .mission(nil))
  }

  @Test func `a line that somebody said comes with the event, others do not`() throws {
    func event(_ kind: ActivityKind) throws -> MissionChange {
      let line = MissionActivityRecord(
        id: Samples.id(1), missionID: Samples.id(7), missionTitle: "Lanterns", kind: kind,
        userID: Samples.id(2), username: "rui", displayName: "Rui",
        text: kind == .said ? "come" : nil, createdAt: Samples.time)
      let row = try #require(try JSONValue(encoding: line).object)
      return change("mission_activity", .insert, row)
    }
    guard case .activity(Samples.id(7), let said) = try event(.said) else {
      Issue.record("no activity")
      return
    }
    #expect(said?.text == "come")
    #expect(try event(.joined) == .activity(missionID: Samples.id(7)))
  }
}
