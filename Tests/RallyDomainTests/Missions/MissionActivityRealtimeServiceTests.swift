import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyDomain

@Suite struct MissionActivityRealtimeServiceTests {
  private func change(
    _ table: String, _ type: ChangeEvent.Kind, _ row: [String: JSONValue],
    embedded: JSONValue? = nil
  ) -> MissionChange {
    MissionChange(
      ChangeEvent(
        schema: "public", table: table, type: type, commitTimestamp: Samples.time.zulu,
        columns: [], record: type == .delete ? nil : row,
        oldRecord: type == .delete ? row : nil, embedded: embedded))
  }

  @Test func `an event that does not bring its rows is a hint to fetch them`() {
    let id = JSONValue.string(Samples.id(7).wireText)
    // A server that embeds nothing.
    #expect(change("missions", .update, ["id": id]) == .unknown)
    #expect(change("missions", .update, ["id": id], embedded: ["mission": [:]]) == .unknown)
    #expect(change("missions", .delete, [:]) == .unknown)
    #expect(change("mission_members", .insert, ["mission_id": id]) == .unknown)
    #expect(change("mission_activity", .insert, ["mission_id": id]) == .unknown)
    #expect(
      change("missions", .delete, ["id": id]) == .removed(Samples.id(7), at: Samples.time))
  }

  @Test func `a line comes with its event`() throws {
    for kind in [ActivityKind.said, .joined] {
      let line = MissionActivityRecord(
        id: Samples.id(1), missionID: Samples.id(7), missionTitle: "Lanterns", kind: kind,
        userID: Samples.id(2), username: "rui", displayName: "Rui",
        text: kind == .said ? "come" : nil, createdAt: Samples.time)
      let row = try #require(try JSONValue(encoding: line).object)
      #expect(change("mission_activity", .insert, row) == .activity(line))
    }
  }
}
