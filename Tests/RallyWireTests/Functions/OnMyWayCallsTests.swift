import Foundation
import RallyWire
import Testing

@Suite struct OnMyWayCallsTests {
  private let id = UUID()

  @Test func `beginning and ending carry the contract's arguments`() throws {
    let reader = UUID()
    #expect(
      try WireJSON.text(BeginOnMyWay(missionID: id, userIDs: [reader]))
        == #"{"p_mission_id":"\#(id.wireText)","p_user_ids":["\#(reader.wireText)"]}"#)
    #expect(try WireJSON.text(EndOnMyWay()) == "{}")
    #expect(
      try WireJSON.text(FetchComing(missionID: id)) == #"{"p_mission_id":"\#(id.wireText)"}"#)
  }

  @Test func `a row survives the way there and back, and its text is cleaned`() throws {
    let time = WireTime(microseconds: 1_000_000)
    let row = ComingRecord(
      missionID: id, userID: id, username: "ana", displayName: "Ana", beganAt: time, until: time,
      readers: [
        MissionMemberRecord(
          userID: id, username: "ben", displayName: "Ben", state: .joined, joinedAt: time)
      ])
    #expect(try WireJSON.decode(ComingRecord.self, from: WireJSON.encode(row)) == row)
    let hostile = Data(
      """
      {"mission_id":"\(id.wireText)","user_id":"\(id.wireText)","username":"ana",
       "display_name":"A\\u001B[31mna","began_at":"\(time)","readers":[]}
      """.utf8)
    let read = try WireJSON.decode(ComingRecord.self, from: hostile)
    #expect(!read.displayName.contains("\u{1B}") && read.until == nil)
  }
}
