import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// What one person may have of sockets and bindings, however many connections it is spread over.
@Suite struct RealtimeUsageTests {
  private func binding(_ filter: String) -> JSONValue {
    ["event": "*", "schema": "public", "table": "friendships", "filter": .string(filter)]
  }

  private func reason(_ reply: JSONValue) -> String {
    reply["payload"]?["response"]?["reason"]?.string ?? ""
  }

  private func isJoined(_ reply: JSONValue) -> Bool { reply["payload"]?["status"] == "ok" }

  @Test func `a person has a bounded number of sockets, and gets them back`() async throws {
    try await TestServer.with(configure: { $0.budgets[.socketsPerPerson] = 2 }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let token = ana.session.accessToken
      var probes: [RealtimeProbe] = []
      for _ in 0..<3 { probes.append(try await RealtimeProbe.connect(server)) }
      for probe in probes.prefix(2) {
        for topic in ["realtime:a", "realtime:b"] {
          #expect(isJoined(try await probe.join(topic, token: token)))
        }
      }
      let refused = try await probes[2].join("realtime:a", token: token)
      #expect(reason(refused).hasPrefix("ConnectionRateLimitReached: "))
      // A token that comes later is no way around it.
      #expect(isJoined(try await probes[2].join("realtime:a", token: nil)))
      try await probes[2].push(.accessToken, "realtime:a", ["access_token": .string(token)])
      let system = try await probes[2].next(.system)["payload"]
      #expect(system?["message"]?.string?.hasPrefix("ConnectionRateLimitReached: ") == true)
      _ = try await probes[2].next(.close)
      #expect(isJoined(try await probes[2].join("realtime:a", token: ben.session.accessToken)))

      try await probes[0].close()
      try await eventually("a free slot") {
        isJoined(try await probes[2].join("realtime:c", token: token))
      }
      for probe in probes { try await probe.close() }
      try await eventually("an empty usage") { await server.server.hub.usage.isEmpty }
    }
  }

  @Test func `a person has a bounded number of bindings over all sockets`() async throws {
    try await TestServer.with(configure: { $0.budgets[.bindingsPerPerson] = 10 }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let token = ana.session.accessToken
      let (one, two) = (
        try await RealtimeProbe.connect(server), try await RealtimeProbe.connect(server)
      )
      let six = (0..<6).map { _ in binding("requester_id=eq.\(UUID().wireText)") }
      #expect(isJoined(try await one.join("realtime:a", token: token, bindings: six)))
      let refused = try await two.join("realtime:a", token: token, bindings: six)
      #expect(reason(refused).hasPrefix("ChannelRateLimitReached: "))
      // One with a long filter is worth several.
      let long = binding("id=in.(\((0..<40).map { _ in UUID().wireText }.joined(separator: ",")))")
      #expect(!isJoined(try await two.join("realtime:a", token: token, bindings: [long])))
      #expect(
        isJoined(try await two.join("realtime:a", token: token, bindings: Array(six.prefix(4)))))
      #expect(
        isJoined(try await two.join("realtime:b", token: ben.session.accessToken, bindings: six)))
      _ = try await one.push(.leave, "realtime:a")
      #expect(isJoined(try await one.join("realtime:c", token: token, bindings: six)))
      try await one.close()
      try await two.close()
    }
  }

  @Test func `all bindings together are bounded`() async throws {
    try await TestServer.with(configure: { $0.budgets[.bindings] = 3 }) { server in
      let probe = try await RealtimeProbe.connect(server)
      for (name, fits) in [("ana", true), ("ben", false)] {
        let person = try await Person.signUp(name, on: server)
        let two = Array(repeating: binding("id=eq.\(person.wireID)"), count: 2)
        let reply = try await probe.join(
          "realtime:\(name)", token: person.session.accessToken, bindings: two)
        #expect(isJoined(reply) == fits)
      }
      try await probe.close()
    }
  }

  @Test func `equal filters are kept once, and as long as somebody has them`() async throws {
    try await TestServer.with { server in
      let hub = server.server.hub
      let ana = try await Person.signUp("ana", on: server)
      let probe = try await RealtimeProbe.connect(server)
      let same = Array(repeating: binding("requester_id=eq.\(ana.wireID)"), count: 20)
      for topic in ["realtime:a", "realtime:b", "realtime:c"] {
        let reply = try await probe.join(
          topic, token: ana.session.accessToken, bindings: same + [binding("status=eq.accepted")])
        #expect(isJoined(reply))
      }
      #expect(await hub.patterns.count == 2)
      let channels = await hub.connections.values.flatMap(\.channels.values)
      let patterns = channels.flatMap(\.bindings).map { ObjectIdentifier($0.pattern) }
      #expect(patterns.count == 63 && Set(patterns).count == 2)
      for topic in ["realtime:a", "realtime:b"] { _ = try await probe.push(.leave, topic) }
      _ = try await probe.drain()
      #expect(await hub.patterns.count == 2)
      try await probe.close()
      try await eventually("no patterns") { await hub.patterns.count == 0 }
    }
  }

  @Test func `an address has a bounded number of sockets`() async throws {
    try await TestServer.with(configure: { $0.budgets[.socketsPerAddress] = 1 }) { server in
      let first = try await RealtimeProbe.connect(server)
      do {
        _ = try await RealtimeProbe.connect(server)
        Issue.record("a second socket")
      } catch let refused as RealtimeProbe.Refused {
        #expect(refused.status == 429)
      }
      try await first.close()
      var second: RealtimeProbe?
      try await eventually("a free slot") {
        second = try? await RealtimeProbe.connect(server)
        return second != nil
      }
      try await second?.close()
    }
  }

  @Test func `references and opaque tokens are not kept at any length`() async throws {
    try await TestServer.with { server in
      let probe = try await RealtimeProbe.connect(server)
      let long = String(repeating: "r", count: 256)
      try await probe.send([
        "topic": "realtime:a", "event": "phx_join", "payload": [:], "ref": .string(long),
        "join_ref": nil,
      ])
      #expect(
        reason(try await probe.next(.reply, ref: long)).hasPrefix("InvalidJoinPayload: "))
      #expect(isJoined(try await probe.join("realtime:b", token: "sb_" + long)))
      let channels = await server.server.hub.connections.values.flatMap(\.channels.values)
      #expect(channels.map(\.token) == [nil])
      try await probe.close()
    }
  }
}
