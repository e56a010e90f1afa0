import Foundation
import NIOHTTP1
import RallyServer
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules

/// The protocol around the changes: joining, leaving, tokens, refusals.
@Suite struct RealtimeHubTests {
  private func withProbe(
    configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (TestServer, Person, RealtimeProbe) async throws -> Void
  ) async throws {
    try await TestServer.with(configure: configure) { server in
      let ana = try await Person.signUp("ana", on: server)
      let probe = try await RealtimeProbe.connect(server)
      try await body(server, ana, probe)
    }
  }

  @Test func `a heartbeat is answered with its reference`() async throws {
    try await withProbe { _, _, probe in
      try await probe.send([
        "topic": "phoenix", "event": "heartbeat", "payload": [:], "ref": nil,
      ])
      #expect(
        try await probe.next(.reply) == [
          "topic": "phoenix", "event": "phx_reply", "ref": nil,
          "payload": ["status": "ok", "response": [:]],
        ])
      try await probe.close()
    }
  }

  @Test func `a client that counts with numbers gets its numbers back`() async throws {
    try await withProbe { _, ana, probe in
      try await probe.send([
        "topic": "realtime:bare", "event": "phx_join", "ref": 7, "join_ref": 7,
        "payload": ["access_token": .string(ana.session.accessToken)],
      ])
      #expect(try await probe.next(.reply)["ref"] == 7)
      try await probe.send([
        "topic": "realtime:bare", "event": "phx_leave", "payload": [:], "ref": 8, "join_ref": 7,
      ])
      #expect(try await probe.next(.reply)["ref"] == 8)
      #expect(try await probe.next(.close)["ref"] == 7)
      try await probe.close()
    }
  }

  @Test func `a join without bindings still answers with the empty list`() async throws {
    try await withProbe { _, ana, probe in
      let reply = try await probe.join("realtime:room", token: ana.session.accessToken)
      #expect(
        reply["payload"] == ["status": "ok", "response": ["postgres_changes": []]])
      #expect(try await probe.drain().isEmpty)
      try await probe.send([
        "topic": "realtime:bare", "event": "phx_join", "payload": [:], "ref": "b",
      ])
      let bare = try await probe.next(.reply, ref: "b")
      #expect(bare["payload"]?["status"] == "ok")
      try await probe.close()
    }
  }

  @Test func `leaving is answered and then closed`() async throws {
    try await withProbe { _, ana, probe in
      let join = try await probe.join("realtime:room", token: ana.session.accessToken)
      let ref = try await probe.push(.leave, "realtime:room")
      let reply = try await probe.next(.reply, ref: ref)
      #expect(reply["payload"] == ["status": "ok", "response": [:]])
      let close = try await probe.next(.close)
      #expect(close["ref"] == join["ref"])
      let after = try await probe.push(.leave, "realtime:room")
      #expect(
        try await probe.next(.reply, ref: after)["payload"]
          == ["status": "error", "response": ["reason": "unmatched topic"]])
      try await probe.close()
    }
  }

  @Test func `joining again closes the first joining`() async throws {
    try await withProbe { _, ana, probe in
      let first = try await probe.join("realtime:room", token: ana.session.accessToken)
      let ref = try await probe.push(
        .join, "realtime:room", ["access_token": .string(ana.session.accessToken)])
      let close = try await probe.next(.close)
      #expect(close["ref"] == first["ref"])
      #expect(try await probe.next(.reply, ref: ref)["payload"]?["status"] == "ok")
      // Words from before are ignored.
      try await probe.send([
        "topic": "realtime:room", "event": "phx_leave", "payload": [:], "ref": "x",
        "join_ref": "stale",
      ])
      #expect(try await probe.drain().isEmpty)
      try await probe.close()
    }
  }

  @Test func `parts of a join may be null`() async throws {
    try await withProbe { _, ana, probe in
      let token = JSONValue.string(ana.session.accessToken)
      for config in [
        nil, ["broadcast": nil, "presence": nil, "private": nil, "postgres_changes": nil],
        ["broadcast": ["ack": nil, "self": nil], "presence": ["key": nil, "enabled": nil]],
      ] as [JSONValue] {
        let ref = try await probe.push(
          .join, "realtime:room", ["config": config, "access_token": token])
        let reply = try await probe.next(.reply, ref: ref)
        #expect(reply["payload"] == ["status": "ok", "response": ["postgres_changes": []]])
      }
      try await probe.close()
    }
  }

  @Test func `a join that cannot be is refused with a reason`() async throws {
    try await withProbe { _, ana, probe in
      func reason(_ topic: String, _ payload: JSONValue) async throws -> String {
        let ref = try await probe.push(.join, topic, payload)
        let reply = try await probe.next(.reply, ref: ref)
        #expect(reply["payload"]?["status"] == "error")
        return reply["payload"]?["response"]?["reason"]?.string ?? ""
      }
      #expect(try await reason("realtime:", [:]).hasPrefix("TopicNameRequired: "))
      #expect(try await reason("room", [:]).hasPrefix("TopicNameRequired: "))
      #expect(
        try await reason("realtime:a", ["access_token": "x"]).hasPrefix("MalformedJWT: "))
      let forged = JSONValue.string(ana.session.accessToken + "x")
      #expect(
        try await reason("realtime:a", ["access_token": forged]).hasPrefix("JwtSignatureError: "))
      #expect(
        try await reason("realtime:a", ["config": ["private": true]]).hasPrefix("Unauthorized: "))
      #expect(
        try await reason("realtime:a", ["config": ["private": "true"]])
          .hasPrefix("Unauthorized: "))
      _ = try await ana.client.send(.POST, "/auth/v1/logout")
      let ended = JSONValue.string(ana.session.accessToken)
      #expect(
        try await reason("realtime:a", ["access_token": ended]).hasPrefix("Unauthorized: "))
      try await probe.close()
    }
  }

  @Test func `an expired token is refused with its age`() async throws {
    try await withProbe(configure: { $0.accessTokenLifetime = .seconds(-5) }) { _, ana, probe in
      let reply = try await probe.join("realtime:a", token: ana.session.accessToken)
      let reason = reply["payload"]?["response"]?["reason"]?.string ?? ""
      #expect(reason.hasPrefix("InvalidJWTToken: Token has expired "))
      try await probe.close()
    }
  }

  @Test func `a channel ends with its token`() async throws {
    try await withProbe(configure: { $0.accessTokenLifetime = .seconds(8) }) { _, ana, probe in
      let join = try await probe.join("realtime:a", token: ana.session.accessToken)
      let system = try await probe.next(.system)
      #expect(system["payload"]?["extension"] == "system")
      #expect(system["payload"]?["status"] == "error")
      #expect(
        system["payload"]?["message"]?.string?.hasPrefix("Token has expired ") == true)
      #expect(try await probe.next(.close)["ref"] == join["ref"])
      try await probe.close()
    }
  }

  @Test func `a renewed token keeps the channel, a bad one ends it`() async throws {
    try await withProbe { server, ana, probe in
      try await probe.listen(token: ana.session.accessToken)
      let renewed = try await RawClient(server).send(
        .POST, "/auth/v1/token?grant_type=password",
        ["email": "ana@example.org", "password": .string(Person.password)]
      ).decoded(AuthSession.self)
      let token = JSONValue.string(renewed.accessToken)
      try await probe.push(.accessToken, RealtimeTopic.friendships, ["access_token": token])
      let system = try await probe.next(.system)
      #expect(system["payload"]?["message"] == "Subscribed to PostgreSQL")

      // Ignored: nothing new.
      for same in [token, "sb_publishable_x", nil] {
        try await probe.push(.accessToken, RealtimeTopic.friendships, ["access_token": same])
      }
      #expect(try await probe.drain().isEmpty)

      try await probe.push(.accessToken, RealtimeTopic.friendships, ["access_token": "bad"])
      #expect(try await probe.next(.system)["payload"]?["status"] == "error")
      _ = try await probe.next(.close)
      try await probe.close()
    }
  }

  @Test func `the token of somebody else ends the channel`() async throws {
    try await withProbe { server, ana, probe in
      let ben = try await Person.signUp("ben", on: server)
      let join = try await probe.join("realtime:room", token: ana.session.accessToken)
      try await probe.push(
        .accessToken, "realtime:room", ["access_token": .string(ben.session.accessToken)])
      #expect(
        try await probe.next(.system)["payload"] == [
          "channel": "room", "extension": "system", "status": "error",
          "message": "Unauthorized: The token belongs to somebody else",
        ])
      #expect(try await probe.next(.close)["ref"] == join["ref"])
      try await probe.close()
    }
  }

  @Test func `signing out ends the sockets of that session and no others`() async throws {
    try await withProbe { server, ana, probe in
      let ben = try await Person.signUp("ben", on: server)
      let forBen = try await RealtimeProbe.connect(server)
      try await forBen.listen(token: ben.session.accessToken)
      try await probe.listen(token: ana.session.accessToken)
      _ = try await ana.client.send(.POST, "/auth/v1/logout?scope=local")
      #expect(try await probe.next(.system)["payload"]?["status"] == "error")
      _ = try await probe.next(.close)
      try await probe.wait("close") { $0.closeCode != nil }
      #expect(await probe.closeCode == 1008)
      #expect(try await forBen.drain().isEmpty)
      try await forBen.close()
    }
  }

  @Test func `the second serializer talks in arrays`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let probe = try await RealtimeProbe.connect(server, query: "&vsn=2.0.0")
      try await probe.send([
        "7", "8", "realtime:room", "phx_join",
        ["access_token": .string(ana.session.accessToken)],
      ])
      try await probe.wait("reply") { !$0.frames.isEmpty }
      #expect(
        await probe.frames.first == [
          "7", "8", "realtime:room", "phx_reply",
          ["status": "ok", "response": ["postgres_changes": []]],
        ])
      try await probe.close()
    }
  }

  @Test func `what nobody asked for has no references in the second serializer`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let probe = try await RealtimeProbe.connect(server, query: "&vsn=2.0.0")
      func heard(_ event: JSONValue) async throws {
        try await probe.wait("\(event)") { probe in
          probe.frames.contains { $0.array?[3] == event }
        }
      }
      let binding: JSONValue = ["event": "*", "schema": "public", "table": "friendships"]
      try await probe.send([
        "7", "7", "realtime:any", "phx_join",
        [
          "access_token": .string(ana.session.accessToken),
          "config": ["presence": ["enabled": true], "postgres_changes": [binding]],
        ],
      ])
      try await heard("system")
      try await probe.send(["7", "8", "realtime:any", "presence", ["event": "track"]])
      _ = try await ben.result(of: RequestFriend(userID: ana.id))
      for event in ["presence_state", "presence_diff", "postgres_changes"] as [JSONValue] {
        try await heard(event)
      }
      for frame in await probe.frames {
        let parts = try #require(frame.array)
        #expect(parts.count == 5)
        #expect(parts[2] == "realtime:any")
        #expect(parts[4].object != nil)
        if parts[3] == "phx_reply" {
          #expect(parts[0] == "7")
        } else {
          #expect(Array(parts.prefix(2)) == [nil, nil])
        }
      }
      try await probe.close()
    }
  }

  @Test func `joining again ends what was joined before by its reference`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let probe = try await RealtimeProbe.connect(server, query: "&vsn=2.0.0")
      let topic: JSONValue = "realtime:room"
      let payload: JSONValue = ["access_token": .string(ana.session.accessToken)]
      let joined: JSONValue = ["status": "ok", "response": ["postgres_changes": []]]
      let done: JSONValue = ["status": "ok", "response": [:]]
      try await probe.send(["1", "1", topic, "phx_join", payload])
      try await probe.wait("the first") { $0.frames.count == 1 }
      try await probe.send(["5", "5", topic, "phx_join", payload])
      try await probe.wait("the second") { $0.frames.count == 3 }
      // The first of these comes from before.
      try await probe.send(["1", "6", topic, "phx_leave", [:]])
      try await probe.send(["5", "7", topic, "phx_leave", [:]])
      try await probe.wait("the end") { $0.frames.count == 5 }
      #expect(
        await probe.frames == [
          ["1", "1", topic, "phx_reply", joined], ["1", "1", topic, "phx_close", [:]],
          ["5", "5", topic, "phx_reply", joined], ["5", "7", topic, "phx_reply", done],
          ["5", "5", topic, "phx_close", [:]],
        ])
      try await probe.close()
    }
  }

  @Test func `replies and closes carry the reference of the join, whatever was asked with`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let probe = try await RealtimeProbe.connect(server, query: "&vsn=2.0.0")
      try await probe.send([
        "7", "7", "realtime:room", "phx_join",
        ["access_token": .string(ana.session.accessToken)],
      ])
      try await probe.wait("the join") { !$0.frames.isEmpty }
      try await probe.send([nil, "8", "realtime:room", "presence", ["event": "untrack"]])
      try await probe.send([nil, "9", "realtime:room", "phx_leave", [:]])
      // Where nothing is joined there is only what the client said.
      try await probe.send([nil, "10", "realtime:room", "phx_leave", [:]])
      try await probe.send([nil, "11", "phoenix", "heartbeat", [:]])
      try await probe.wait("the heartbeat") { $0.frames.count == 6 }
      let done: JSONValue = ["status": "ok", "response": [:]]
      #expect(
        await probe.frames.dropFirst() == [
          ["7", "8", "realtime:room", "phx_reply", done],
          ["7", "9", "realtime:room", "phx_reply", done],
          ["7", "7", "realtime:room", "phx_close", [:]],
          [
            nil, "10", "realtime:room", "phx_reply",
            ["status": "error", "response": ["reason": "unmatched topic"]],
          ],
          [nil, "11", "phoenix", "phx_reply", done],
        ])
      try await probe.close()
    }
  }
}
