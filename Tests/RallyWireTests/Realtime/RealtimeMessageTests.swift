import Foundation
import RallyText
import RallyWire
import Testing

@Suite struct RealtimeMessageTests {
  @Test func `a frame of the server has exactly four keys, ref even when null`() throws {
    let text = try WireJSON.text(RealtimeMessage(topic: "realtime:x", event: .system))
    #expect(text == #"{"event":"system","payload":{},"ref":null,"topic":"realtime:x"}"#)
  }

  @Test func `a frame of a client is read with whatever it leaves out`() throws {
    let text = #"{"topic":"phoenix","event":"heartbeat","ref":"7","join_ref":null,"more":1}"#
    let message = try #require(RealtimeMessage(text: text))
    #expect(message.event == .heartbeat)
    #expect(message.ref == "7")
    #expect(message.payload == [:])
  }

  @Test(arguments: ["7", "1.5", "\"7\"", "true", "[1]"])
  func `a reference is kept as it came, whatever it is`(_ reference: String) throws {
    let text =
      #"{"event":"heartbeat","join_ref":\#(reference),"payload":{},"ref":\#(reference),"#
      + #""topic":"phoenix"}"#
    let message = try #require(RealtimeMessage(text: text))
    #expect(try WireJSON.text(message) == text)
  }

  @Test func `a frame of more values than allowed is none`() {
    let text = #"{"topic":"phoenix","event":"heartbeat","payload":[{},{},{}]}"#
    #expect(RealtimeMessage(text: text, atMost: 7) != nil)
    #expect(RealtimeMessage(text: text, atMost: 6) == nil)
  }

  @Test func `a change says errors even when there are none, and no record for a delete`() throws {
    let change = ChangeEvent(
      table: "friendships", type: .delete, commitTimestamp: "2026-01-02T03:04:05.000000Z",
      columns: [.init(name: "id", type: "uuid")], record: nil, oldRecord: ["id": "x"])
    let value = try JSONValue(encoding: change)
    #expect(value["errors"] == .null)
    #expect(value["record"] == nil)
    #expect(value["old_record"]?["id"]?.string == "x")
    #expect(try value.decoded(as: ChangeEvent.self) == change)
  }

  @Test func `a binding leaves out what is nil`() throws {
    let text = try WireJSON.text(ChangeBinding(table: "friendships"))
    #expect(text == #"{"event":"*","schema":"public","table":"friendships"}"#)
  }

  @Test func `JSON of any shape survives the way there and back`() throws {
    let value: JSONValue = [
      "a": [1, .number(2.5), "x", true, nil], "b": ["c": .integer(9_007_199_254_740_993)],
    ]
    #expect(try WireJSON.decode(JSONValue.self, from: WireJSON.encode(value)) == value)
  }
}
