import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// Bindings of joins without an account: answered, inert, and live with the first token.
@Suite struct InertBindingsTests {
  private func binding(_ filter: String? = nil) -> JSONValue {
    var json: [String: JSONValue] = [
      "event": "*", "schema": "public", "table": "friendships", "extra": ["kept": 1],
    ]
    if let filter { json["filter"] = .string(filter) }
    return .object(json)
  }

  private func reason(_ reply: JSONValue) -> String {
    reply["payload"]?["response"]?["reason"]?.string ?? ""
  }

  private func push(_ token: String, _ topic: String, on probe: RealtimeProbe) async throws {
    try await probe.push(.accessToken, topic, ["access_token": .string(token)])
  }

  @Test
  func `without an account bindings are answered with their ids, and nothing is kept of them`()
    async throws
  {
    try await TestServer.with { server in
      let hub = server.server.hub
      let probe = try await RealtimeProbe.connect(server)
      for (topic, token) in [("realtime:a", nil), ("realtime:b", server.key)] {
        let asked = [binding("requester_id=eq.\(UUID().wireText)"), binding()]
        let reply = try await probe.join(topic, token: token, bindings: asked)
        #expect(reply["payload"]?["status"] == "ok")
        let echoed = reply["payload"]?["response"]?["postgres_changes"]?.array ?? []
        let ids = echoed.compactMap { $0["id"]?.integer }
        #expect(Set(ids).count == 2 && !ids.contains(0))
        #expect(
          echoed.map { JSONValue.object(($0.object ?? [:]).filter { $0.key != "id" }) } == asked)
      }
      // No word that they are subscribed: they are not.
      #expect(try await probe.drain().isEmpty)
      #expect(await hub.patterns.count == 0)
      #expect(await hub.listeners.isEmpty)
      try await probe.close()
      try await eventually("an empty usage") { await hub.usage.isEmpty }
    }
  }

  @Test func `a token makes them live, with the ids that were answered`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let (ben, cem) = (
        try await Person.signUp("ben", on: server), try await Person.signUp("cem", on: server)
      )
      let probe = try await RealtimeProbe.connect(server)
      let reply = try await probe.join(
        "realtime:any", token: nil,
        bindings: [binding("requester_id=eq.\(ben.wireID)"), binding()])
      let ids = (reply["payload"]?["response"]?["postgres_changes"]?.array ?? [])
        .compactMap { $0["id"] }
      _ = try await ben.result(of: RequestFriend(userID: ana.id))
      #expect(try await probe.drain().isEmpty)

      try await push(ana.session.accessToken, "realtime:any", on: probe)
      #expect(
        try await probe.next(.system)["payload"] == [
          "channel": "any", "extension": "postgres_changes",
          "message": "Subscribed to PostgreSQL", "status": "ok",
        ])
      _ = try await cem.result(of: RequestFriend(userID: ana.id))
      let second = try await probe.next(.postgresChanges)
      #expect(second["payload"]?["ids"] == .array([ids[1]]))
      _ = try await ana.result(of: RespondToFriendRequest(userID: ben.id, accept: true))
      let both = try await probe.next(.postgresChanges)
      #expect(Set(both["payload"]?["ids"]?.array ?? []) == Set(ids))
      try await probe.close()
    }
  }

  @Test func `somebody listens as long as one of their channels has bindings`() async throws {
    try await TestServer.with { server in
      let hub = server.server.hub
      let ana = try await Person.signUp("ana", on: server)
      let token = ana.session.accessToken
      let probe = try await RealtimeProbe.connect(server)
      _ = try await probe.join("realtime:without", token: token)
      #expect(await hub.listeners.isEmpty)
      for topic in ["realtime:a", "realtime:b"] {
        _ = try await probe.join(topic, token: token, bindings: [binding()])
        #expect(await hub.listeners == [ana.wireID])
      }
      _ = try await probe.push(.leave, "realtime:a")
      _ = try await probe.next(.close)
      #expect(await hub.listeners == [ana.wireID])
      _ = try await probe.push(.leave, "realtime:b")
      _ = try await probe.next(.close)
      #expect(await hub.listeners.isEmpty)
      _ = try await probe.join("realtime:a", token: token, bindings: [binding()])
      try await probe.close()
      try await eventually("nobody who listens") { await hub.listeners.isEmpty }
    }
  }

  @Test func `a token whose session has ended makes nothing live`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let probe = try await RealtimeProbe.connect(server)
      let join = try await probe.join("realtime:any", token: nil, bindings: [binding()])
      _ = try await ana.client.send(.POST, "/auth/v1/logout")
      try await push(ana.session.accessToken, "realtime:any", on: probe)
      let system = try await probe.next(.system)["payload"]
      #expect(system?["status"] == "error")
      #expect(system?["extension"] == "system")
      #expect(try await probe.next(.close)["ref"] == join["ref"])
      #expect(await server.server.hub.usage.isEmpty)
      try await probe.close()
    }
  }

  @Test func `a problem is said once somebody listens`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let probe = try await RealtimeProbe.connect(server)
      let reply = try await probe.join(
        "realtime:any", token: nil, bindings: [binding("nothing=eq.1")])
      #expect(reply["payload"]?["status"] == "ok")
      try await push(ana.session.accessToken, "realtime:any", on: probe)
      #expect(try await probe.next(.system)["payload"]?["status"] == "error")
      try await probe.close()
    }
  }

  @Test func `a socket without an account has room for a few bindings, and gets it back`()
    async throws
  {
    try await TestServer.with(configure: { $0.budgets[.inertBindingBytesPerSocket] = 1000 }) {
      server in
      let probe = try await RealtimeProbe.connect(server)
      let few = Array(repeating: binding("requester_id=eq.\(UUID().wireText)"), count: 4)
      #expect(
        try await probe.join("realtime:a", token: nil, bindings: few)["payload"]?["status"] == "ok")
      let refused = try await probe.join("realtime:b", token: nil, bindings: few)
      #expect(reason(refused).hasPrefix("ChannelRateLimitReached: "))
      #expect(
        try await probe.join("realtime:c", token: nil)["payload"]?["status"] == "ok")
      _ = try await probe.push(.leave, "realtime:a")
      #expect(
        try await probe.join("realtime:b", token: nil, bindings: few)["payload"]?["status"] == "ok")
      try await probe.close()
    }
  }
}
