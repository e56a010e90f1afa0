import Foundation
import RallyText
import RallyWire
import Testing

@Suite struct WireTextTests {
  @Test func `a row is cleaned and cut when it is read, and written as it stands`() throws {
    let hostile = "\u{1B}]0;x\u{7}e" + String(repeating: "\u{301}", count: 200_000)
    let profile = ProfileRecord(
      id: UUID(), username: "ana", displayName: hostile, bio: hostile, version: 1,
      createdAt: WireTime(microseconds: 0))
    let data = try WireJSON.encode(profile)
    #expect(data.count > 400_000)
    let read = try WireJSON.decode(ProfileRecord.self, from: data)
    #expect(read.displayName == "]0;xe" + String(repeating: "\u{301}", count: 8))
    #expect(read.bio == read.displayName)
  }

  @Test func `a text that is missing or null is nil, and is left out again`() throws {
    let line = MissionActivityRecord(
      id: UUID(), missionID: UUID(), missionTitle: "Lanterns", kind: .completed, userID: nil,
      username: nil, displayName: nil, createdAt: WireTime(microseconds: 0))
    let value = try JSONValue(encoding: line)
    #expect(value.object?.keys.contains("text") == false)
    var fields = try #require(value.object)
    #expect(try JSONValue.object(fields).decoded(as: MissionActivityRecord.self) == line)
    fields["text"] = .null
    #expect(try JSONValue.object(fields).decoded(as: MissionActivityRecord.self) == line)
    fields["text"] = "a\u{9B}b"
    #expect(try JSONValue.object(fields).decoded(as: MissionActivityRecord.self).text == "ab")
  }
}
