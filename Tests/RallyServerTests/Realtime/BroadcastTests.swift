import Foundation
import NIOHTTP1
import NIOWebSocket
import RallyRules
import RallyServer
import RallyTestSupport
import RallyText
import RallyWire
import Testing

/// What people say to each other: who hears it, who is told that it was sent.
@Suite struct BroadcastTests {
  private static let room = "realtime:room"

  private func join(
    _ person: Person, on server: TestServer, topic: String = room, ack: Bool = false,
    echo: Bool = false, version: String = "1.0.0"
  ) async throws -> RealtimeProbe {
    let probe = try await RealtimeProbe.connect(server, query: "&vsn=\(version)")
    let payload: JSONValue = [
      "access_token": .string(person.session.accessToken),
      "config": ["broadcast": ["ack": .bool(ack), "self": .bool(echo)]],
    ]
    if version == "1.0.0" {
      let ref = try await probe.push(.join, topic, payload)
      let reply = try await probe.next(.reply, ref: ref)
      #expect(reply["payload"]?["status"] == "ok")
    } else {
      try await probe.send(["j", "j", .string(topic), "phx_join", payload])
      try await probe.wait("the join") { !$0.frames.isEmpty }
    }
    return probe
  }

  private func say(
    _ event: String, _ payload: JSONValue = ["n": 1], to topic: String = room,
    on probe: RealtimeProbe
  ) async throws -> String {
    try await probe.push(
      .broadcast, topic, ["type": "broadcast", "event": .string(event), "payload": payload])
  }

  @Test func `others in the room hear it, and oneself only on request`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let forAna = try await join(ana, on: server)
      let forBen = try await join(ben, on: server, ack: true, echo: true)
      let elsewhere = try await join(ben, on: server, topic: "realtime:other")

      _ = try await say("hello", on: forAna)
      let heard = try await forBen.next(.broadcast)
      #expect(
        heard == [
          "topic": "realtime:room", "event": "broadcast", "ref": nil,
          "payload": ["type": "broadcast", "event": "hello", "payload": ["n": 1]],
        ])
      // Without an acknowledgement there is no reply, and no echo.
      #expect(try await forAna.drain().isEmpty)

      let ref = try await say("again", on: forBen)
      #expect(try await forBen.next(.broadcast)["payload"]?["event"] == "again")
      #expect(
        try await forBen.next(.reply, ref: ref)["payload"] == ["status": "ok", "response": [:]])
      #expect(try await forAna.next(.broadcast)["payload"]?["event"] == "again")
      #expect(try await elsewhere.drain().isEmpty)
      for probe in [forAna, forBen, elsewhere] { try await probe.close() }
    }
  }

  @Test func `what a join asks for may be written as text`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      for word in ["true", "True", "false"] as [JSONValue] {
        let probe = try await RealtimeProbe.connect(server)
        let join = try await probe.push(
          .join, Self.room,
          [
            "access_token": .string(ana.session.accessToken),
            "config": ["broadcast": ["ack": word, "self": word], "private": "false"],
          ])
        #expect(try await probe.next(.reply, ref: join)["payload"]?["status"] == "ok")
        let ref = try await say("hello", on: probe)
        if word == "false" {
          #expect(try await probe.drain().isEmpty)
        } else {
          _ = try await probe.next(.broadcast)
          _ = try await probe.next(.reply, ref: ref)
        }
        try await probe.close()
      }
    }
  }

  @Test func `what is said right behind the join is heard once that is answered`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let mission = try await ana.result(of: CreateMission.sample())
      let secret = "realtime:mission:\(mission.id.wireText)"
      let forAna = try await join(ana, on: server)
      let inMission = try await join(ana, on: server, topic: secret)
      let probe = try await RealtimeProbe.connect(server)
      let payload: JSONValue = [
        "access_token": .string(ben.session.accessToken), "config": ["broadcast": ["ack": true]],
      ]
      let refused = try await probe.push(.join, secret, payload)
      _ = try await say("psst", to: secret, on: probe)
      let joined = try await probe.push(.join, Self.room, payload)
      let said = try await say("early", on: probe)
      for (ref, status) in [(refused, "error"), (joined, "ok"), (said, "ok")] {
        let reply = try await probe.next(.reply, ref: ref)
        #expect(reply["payload"]?["status"] == .string(status))
      }
      #expect(try await forAna.next(.broadcast)["payload"]?["event"] == "early")
      #expect(try await inMission.drain().isEmpty)
      for probe in [forAna, inMission, probe] { try await probe.close() }
    }
  }

  @Test func `whoever blocked somebody neither hears them nor is heard`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let cleo = try await Person.signUp("cleo", on: server)
      let forAna = try await join(ana, on: server, ack: true)
      let forBen = try await join(ben, on: server, ack: true)
      let forCleo = try await join(cleo, on: server)
      _ = try await ana.result(of: BlockUser(userID: ben.id))
      for probe in [forAna, forBen] {
        let ref = try await say("hello", on: probe)
        #expect(try await probe.next(.reply, ref: ref)["payload"]?["status"] == "ok")
        _ = try await forCleo.next(.broadcast)
      }
      #expect(try await forAna.drain().isEmpty)
      #expect(try await forBen.drain().isEmpty)
      for probe in [forAna, forBen, forCleo] { try await probe.close() }
    }
  }

  @Test func `without an account one neither speaks nor hears`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let forAna = try await join(ana, on: server, ack: true)
      let nobody = try await RealtimeProbe.connect(server)
      let asked = try await nobody.push(
        .join, Self.room, ["config": ["broadcast": ["ack": true]]])
      #expect(try await nobody.next(.reply, ref: asked)["payload"]?["status"] == "ok")
      let refused = try await say("psst", on: nobody)
      #expect(try await nobody.next(.reply, ref: refused)["payload"]?["status"] == "error")
      let ref = try await say("hello", on: forAna)
      _ = try await forAna.next(.reply, ref: ref)
      #expect(try await nobody.drain().isEmpty)
      #expect(try await forAna.drain().isEmpty)
      try await nobody.close()
      try await forAna.close()
    }
  }

  @Test func `what is too large or names no event is refused`() async throws {
    try await TestServer.with(configure: { $0.budgets[.broadcastBytes] = 1000 }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let probe = try await join(ana, on: server, ack: true)
      let long = JSONValue.string(String(repeating: "x", count: 1000))
      let ref = try await say("long", long, on: probe)
      #expect(
        try await probe.next(.reply, ref: ref)["payload"]?["response"]?["reason"]
          == "payload_size_exceeded")
      let nameless = try await probe.push(.broadcast, Self.room, ["payload": [:]])
      #expect(try await probe.next(.reply, ref: nameless)["payload"]?["status"] == "error")
      try await probe.close()
    }
  }

  @Test func `who asked for no acknowledgements is not told of refusals either`() async throws {
    try await TestServer.with(configure: { $0.budgets[.broadcastBytes] = 1000 }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let probe = try await join(ana, on: server)
      _ = try await say("long", .string(String(repeating: "x", count: 1000)), on: probe)
      try await probe.push(.broadcast, Self.room, ["payload": [:]])
      #expect(try await probe.drain().isEmpty)
      let nobody = try await RealtimeProbe.connect(server)
      try await nobody.join(Self.room, token: nil)
      _ = try await say("psst", on: nobody)
      #expect(try await nobody.drain().isEmpty)
      try await probe.close()
      try await nobody.close()
    }
  }

  // MARK: - The second serializer

  @Test func `a binary push that is no JSON is answered where that was asked for`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let probe = try await join(ana, on: server, ack: true, version: "2.0.0")
      let quiet = try await join(ana, on: server, version: "2.0.0")
      for (probe, ref) in [(quiet, "q"), (probe, "p")] {
        try await probe.send(
          .binary,
          BroadcastPushTests.frame(
            joinRef: "j", ref: ref, topic: Self.room, event: "e", encoding: 1, payload: [0x7B]))
        try await probe.send([nil, "h", "phoenix", "heartbeat", [:]])
        try await probe.wait("the heartbeat") { $0.frames.last?.array?[1] == "h" }
      }
      #expect(await quiet.frames.count == 2)
      #expect(
        await probe.frames.dropFirst().first == [
          "j", "p", .string(Self.room), "phx_reply",
          [
            "status": "error",
            "response": ["reason": "InvalidPayload: The payload is not JSON"],
          ],
        ])
      try await probe.close()
      try await quiet.close()
    }
  }

  @Test func `binary pushes reach sockets of both forms as far as these can`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let binary = try await join(ana, on: server, ack: true, version: "2.0.0")
      let second = try await join(ben, on: server, version: "2.0.0")
      let first = try await join(ben, on: server)

      func push(encoding: UInt8, _ payload: [UInt8], ref: String) async throws {
        try await binary.send(
          .binary,
          BroadcastPushTests.frame(
            joinRef: "j", ref: ref, topic: Self.room, event: "e", encoding: encoding,
            payload: payload))
        try await binary.wait("the reply") { $0.frames.contains { $0.array?[1] == .string(ref) } }
      }
      try await push(encoding: 1, Array(#"{"n":2}"#.utf8), ref: "a")
      try await push(encoding: 0, [0, 1, 255], ref: "b")

      let payload: JSONValue = ["type": "broadcast", "event": "e", "payload": ["n": 2]]
      try await second.wait("both") { $0.frames.count >= 3 }
      #expect(
        await second.frames.dropFirst() == [
          [nil, nil, "realtime:room", "broadcast", payload],
          [
            "binary": .array(
              ([4, 13, 1, 0, 0] + Array("realtime:roome".utf8) + [0, 1, 255]).map {
                .integer(Int64($0))
              })
          ],
        ])
      #expect(try await first.next(.broadcast)["payload"] == payload)
      #expect(try await first.drain().isEmpty)
      for probe in [binary, second, first] { try await probe.close() }
    }
  }

  // MARK: - Missions

  @Test func `a mission's topic is for those who joined, until they leave`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let eve = try await Person.signUp("eve", on: server)
      try await ana.befriend(ben)
      let mission = try await ana.result(of: CreateMission.sample())
      let topic = "realtime:mission:\(mission.id.wireText)"
      func refusal(_ person: Person?, _ topic: String, isPrivate: Bool) async throws -> String? {
        let probe = try await RealtimeProbe.connect(server)
        let ref = try await probe.push(
          .join, topic,
          [
            "access_token": (person?.session.accessToken).map(JSONValue.string) ?? nil,
            "config": ["private": .bool(isPrivate)],
          ])
        let reply = try await probe.next(.reply, ref: ref)
        try await probe.close()
        return reply["payload"]?["response"]?["reason"]?.string
      }
      func words(_ id: String) -> String {
        "Unauthorized: You do not have permissions to read from this Channel topic: mission:\(id)"
      }
      // Neither a stranger, nor a friend who sees it but did not join, nor nobody.
      let id = mission.id.wireText
      for person in [ben, eve, nil] {
        for isPrivate in [true, false] {
          #expect(try await refusal(person, topic, isPrivate: isPrivate) == words(id))
        }
      }
      let unknown = UUID().wireText
      #expect(
        try await refusal(ben, "realtime:mission:\(unknown)", isPrivate: true) == words(unknown))
      let upper = mission.id.uuidString
      #expect(
        try await refusal(ana, "realtime:mission:\(upper)", isPrivate: true) == words(upper))
      #expect(try await refusal(ana, "realtime:mission:x", isPrivate: false) == words("x"))
      #expect(
        try await refusal(ana, "realtime:room", isPrivate: true)?.hasPrefix("Unauthorized") == true)

      _ = try await ben.result(of: JoinMission(missionID: mission.id))
      let forAna = try await join(ana, on: server, topic: topic)
      let forBen = try await join(ben, on: server, topic: topic)
      _ = try await say("go", to: topic, on: forAna)
      #expect(try await forBen.next(.broadcast)["payload"]?["event"] == "go")

      _ = try await ben.result(of: LeaveMission(missionID: mission.id))
      #expect(try await forBen.next(.system)["payload"]?["message"] == .string(words(id)))
      _ = try await forBen.next(.close)
      _ = try await say("gone", to: topic, on: forAna)
      _ = try await forAna.drain()
      #expect(try await forBen.drain().isEmpty)
      try await forAna.close()
      try await forBen.close()
    }
  }

  // MARK: - Over HTTP

  @Test func `a broadcast over HTTP is heard by all, the sender's own sockets too`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let forAna = try await join(ana, on: server)
      let forBen = try await join(ben, on: server)
      let path = "/realtime/v1/api/broadcast"
      let several = try await ana.client.send(
        .POST, path,
        [
          "messages": [
            ["topic": "room", "event": "a", "payload": ["n": 1]],
            ["topic": "realtime:room", "event": "b", "payload": ["n": 2], "private": false],
          ]
        ])
      #expect(several.status == 202)
      #expect(several.body.isEmpty)
      let single = try await ana.client.send(.POST, path + "/room/events/c%20d", ["n": 3])
      #expect(single.status == 202)
      for probe in [forAna, forBen] {
        for (event, number) in [("a", 1), ("b", 2), ("c d", 3)] as [(String, Int64)] {
          #expect(
            try await probe.next(.broadcast)["payload"] == [
              "type": "broadcast", "event": .string(event), "payload": ["n": .integer(number)],
            ])
        }
      }
      try await forAna.close()
      try await forBen.close()
    }
  }

  @Test func `a broadcast over HTTP that may not be is refused`() async throws {
    try await TestServer.with(configure: { $0.budgets[.messagesPerSocket] = 50 }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let mission = try await ana.result(of: CreateMission.sample())
      let path = "/realtime/v1/api/broadcast"
      func status(
        _ client: RawClient, _ body: JSONValue, _ path: String = path,
        headers: [String: String] = [:]
      ) async throws -> Int {
        let reply = try await client.send(.POST, path, body, headers: headers)
        #expect(reply.status == 202 || reply.json["message"]?.string?.isEmpty == false)
        return reply.status
      }
      func messages(_ topic: String, count: Int = 1, isPrivate: Bool = false) -> JSONValue {
        let message: JSONValue = [
          "topic": .string(topic), "event": "e", "payload": [:], "private": .bool(isPrivate),
        ]
        return ["messages": .array(Array(repeating: message, count: count))]
      }
      #expect(try await status(RawClient(server), messages("room")) == 401)
      #expect(
        try await status(RawClient(server, token: "x.y.z"), messages("room")) == 401)
      #expect(try await status(ana.client, messages("room"), headers: ["apikey": ""]) == 401)
      #expect(try await status(ana.client, ["messages": []]) == 422)
      #expect(try await status(ana.client, ["nothing": 1]) == 422)
      #expect(try await status(ana.client, messages("room", isPrivate: true)) == 403)
      let topic = "mission:\(mission.id.wireText)"
      #expect(try await status(ben.client, messages(topic, isPrivate: true)) == 403)
      #expect(try await status(ana.client, messages(topic, isPrivate: true)) == 202)
      #expect(try await status(ana.client, messages("room", count: 51)) == 429)
      #expect(
        try await status(
          ana.client, [:], path + "/room/events/e", headers: ["content-type": "text/plain"])
          == 415)
      _ = try await ana.client.send(.POST, "/auth/v1/logout")
      #expect(try await status(ana.client, messages("room")) == 401)
    }
  }
}
