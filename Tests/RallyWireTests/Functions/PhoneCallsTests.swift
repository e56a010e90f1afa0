import Foundation
import RallyWire
import Testing

@Suite struct PhoneCallsTests {
  private let id = UUID()

  @Test func `adding a phone carries the contract's arguments`() throws {
    let secret = try #require(AccessSecret(String(repeating: "a", count: 32)))
    let call = AddPhone(phoneID: id, app: .owntracks, name: "Pixel", secret: secret)
    #expect(
      try WireJSON.text(call)
        == #"{"p_app":"owntracks","p_name":"Pixel","p_phone_id":"\#(id.wireText)","#
        + #""p_secret":"\#(secret.value)"}"#)
    #expect(AddPhone.parameters.allSatisfy { $0.hasPrefix("p_") })
    #expect(try WireJSON.text(RevokePhone(phoneID: id)) == #"{"p_phone_id":"\#(id.wireText)"}"#)
    #expect(try WireJSON.text(FetchPhones()) == "{}")
  }

  @Test func `a row survives the way there and back, and null means nothing`() throws {
    let time = WireTime(microseconds: 1_000_000)
    let row = PhoneRecord(
      id: id, app: .overland, name: "Pixel", createdAt: time, lastPostAt: time, lastFixAt: time,
      problem: "The phone's clock is 3 h ahead.", problemAt: time)
    #expect(try WireJSON.decode(PhoneRecord.self, from: WireJSON.encode(row)) == row)
    let bare = Data(
      """
      {"id":"\(id.wireText)","app":"traccar","name":"P\\u001B[31m","created_at":"\(time)",
       "last_post_at":null,"last_fix_at":null,"problem":null,"problem_at":null}
      """.utf8)
    let read = try WireJSON.decode(PhoneRecord.self, from: bare)
    #expect(read.problem == nil && read.lastPostAt == nil)
    #expect(!read.name.contains("\u{1B}"))
  }

  @Test func `every app has a path of its own`() {
    #expect(
      PhoneApp.allCases.map(\.path) == [
        "/phone/owntracks", "/phone/overland", "/phone/traccar", "/phone/gpslogger",
      ])
  }

  @Test func `a name is cleaned, and refused when it is empty or too long`() throws {
    #expect(try AddPhone.checkedName("  My phone ") == "My phone")
    #expect(throws: FieldProblem.self) { try AddPhone.checkedName(" ") }
    #expect(throws: FieldProblem.self) {
      try AddPhone.checkedName(String(repeating: "a", count: 41))
    }
  }
}
