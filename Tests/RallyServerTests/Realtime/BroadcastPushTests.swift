import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// The binary frames of the second serializer.
@Suite struct BroadcastPushTests {
  static func frame(
    joinRef: String = "1", ref: String = "2", topic: String, event: String,
    metadata: String = "", encoding: UInt8, payload: [UInt8]
  ) -> [UInt8] {
    let texts = [joinRef, ref, topic, event, metadata].map { Array($0.utf8) }
    return [3] + texts.map { UInt8($0.count) } + [encoding] + texts.joined() + payload
  }

  @Test func `a frame names its topic and event and carries its payload`() throws {
    let json = Self.frame(
      topic: "realtime:a", event: "é", metadata: "{}", encoding: 1,
      payload: Array(#"{"x":1}"#.utf8))
    #expect(
      BroadcastPush(frame: json)
        == BroadcastPush(
          joinRef: "1", ref: "2", topic: "realtime:a", event: "é", body: .json(["x": 1])))
    let binary = Self.frame(
      joinRef: "", ref: "", topic: "realtime:a", event: "e", encoding: 0, payload: [0, 255])
    #expect(
      BroadcastPush(frame: binary)
        == BroadcastPush(topic: "realtime:a", event: "e", body: .binary([0, 255])))
  }

  @Test func `frames that are cut, of another kind or another encoding are none`() {
    let whole = Self.frame(topic: "realtime:a", event: "e", encoding: 1, payload: [0x31])
    #expect(BroadcastPush(frame: whole)?.body == .json(1))
    // Without its last byte it is a frame whose payload is no JSON.
    #expect(BroadcastPush(frame: Array(whole.dropLast()))?.body == .unreadable)
    for length in 0..<whole.count - 1 {
      #expect(BroadcastPush(frame: Array(whole[..<length])) == nil)
    }
    #expect(BroadcastPush(frame: [0] + whole.dropFirst()) == nil)
    #expect(
      BroadcastPush(frame: Self.frame(topic: "t", event: "e", encoding: 2, payload: [])) == nil)
  }

  @Test func `what is delivered fits the reader's form`() {
    var json = BroadcastDelivery(topic: "realtime:a", event: "e", body: .json(["x": 1]))
    let payload = #"{"event":"e","payload":{"x":1},"type":"broadcast"}"#
    #expect(
      json.item(for: .v1)
        == .text(#"{"event":"broadcast","payload":\#(payload),"ref":null,"topic":"realtime:a"}"#))
    #expect(json.item(for: .v2) == .text(#"[null,null,"realtime:a","broadcast",\#(payload)]"#))
    var binary = BroadcastDelivery(topic: "ab", event: "c", body: .binary([9, 8]))
    #expect(binary.item(for: .v1) == nil)
    #expect(
      binary.item(for: .v2) == .binary([4, 2, 1, 0, 0] + Array("abc".utf8) + [9, 8]))
  }

  @Test(arguments: [RealtimeSerializer.v1, .v2])
  func `a change put together is the change written at once`(_ form: RealtimeSerializer) throws {
    let event = ChangeEvent(
      table: "friendships", type: .update, commitTimestamp: "2026-01-02T03:04:05Z",
      columns: [.init(name: "id", type: "uuid")], record: ["id": "\"é/\n"], oldRecord: ["id": "1"])
    let topic = "realtime:\"a\\/é\u{1}"
    let whole = form.text(
      RealtimeMessage(
        topic: topic, event: .postgresChanges,
        payload: ["ids": [3, 4], "data": try JSONValue(encoding: event)]))
    #expect(
      try form.change(topic: WireJSON.text(topic), ids: [3, 4], data: WireJSON.text(event)) == whole
    )
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `random frames of both forms are read or not`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let good = Self.frame(
      topic: "realtime:a", event: "e", encoding: 1, payload: Array(#"{"x":[1,null]}"#.utf8))
    let texts = [
      #"{"topic":"realtime:a","event":"phx_join","payload":{"config":{}},"ref":"1"}"#,
      #"["1","2","realtime:a","phx_join",{"config":{"postgres_changes":[{}]}}]"#,
    ]
    var read = 0
    for _ in 0..<4000 {
      var bytes =
        Bool.random(using: &random) ? good : Array((texts.randomElement(using: &random) ?? "").utf8)
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
        default: if bytes.count > 1 { bytes.remove(at: place) }
        }
      }
      if BroadcastPush(frame: bytes) != nil { read += 1 }
      for serializer in [RealtimeSerializer.v1, .v2] {
        let text = String(decoding: bytes, as: UTF8.self)
        guard case .message(let message)? = serializer.message(text) else { continue }
        read += 1
        // What can be read can be written.
        _ = serializer.text(message)
        _ = JoinRequest(message.payload)
      }
    }
    #expect(read > 1000)
  }
}
