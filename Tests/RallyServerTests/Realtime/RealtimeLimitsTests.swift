import RallyServer
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules

/// What one client may ask for, and what it hears when that is too much.
@Suite struct RealtimeLimitsTests {
  private func withProbe(
    _ configure: (inout Budgets) -> Void,
    _ body: (Person, RealtimeProbe) async throws -> Void
  ) async throws {
    try await TestServer.with(configure: { configure(&$0.budgets) }) { server in
      try await body(
        try await Person.signUp("ana", on: server), try await RealtimeProbe.connect(server))
    }
  }

  private func reason(_ reply: JSONValue) -> String {
    reply["payload"]?["response"]?["reason"]?.string ?? ""
  }

  @Test func `one channel too many is refused, and fits when another was left`() async throws {
    try await withProbe({ $0[.channelsPerSocket] = 2 }) { ana, probe in
      let token = ana.session.accessToken
      for topic in ["realtime:a", "realtime:b", "realtime:b"] {
        #expect(try await probe.join(topic, token: token)["payload"]?["status"] == "ok")
      }
      #expect(
        reason(try await probe.join("realtime:c", token: token))
          == "ChannelRateLimitReached: Too many channels")
      _ = try await probe.push(.leave, "realtime:a")
      #expect(try await probe.join("realtime:c", token: token)["payload"]?["status"] == "ok")
      try await probe.close()
    }
  }

  @Test func `one binding too many is refused`() async throws {
    try await withProbe({ $0[.bindingsPerChannel] = 2 }) { ana, probe in
      let binding: JSONValue = ["event": "*", "schema": "public", "table": "friendships"]
      let token = ana.session.accessToken
      let two = try await probe.join(
        "realtime:a", token: token, bindings: [binding, binding])
      #expect(two["payload"]?["status"] == "ok")
      let three = try await probe.join(
        "realtime:b", token: token, bindings: [binding, binding, binding])
      #expect(reason(three).hasPrefix("InvalidJoinPayload: "))
      try await probe.close()
    }
  }

  @Test func `too many joins are refused and end the socket`() async throws {
    try await withProbe({ $0[.joinsPerSocket] = 1 }) { ana, probe in
      for _ in 0..<40 where await probe.closeCode == nil {
        // The socket may end meanwhile.
        _ = try? await probe.push(
          .join, "realtime:a", ["access_token": .string(ana.session.accessToken)])
      }
      try await probe.wait("the end") { $0.closeCode != nil }
      #expect(await probe.closeCode == 1008)
      // Said before the end, after which nothing is heard any more.
      let last = try #require(await probe.frames.last)
      #expect(reason(last) == "ClientJoinRateLimitReached: Too many joins per second")
    }
  }

  @Test func `too many messages end the channel`() async throws {
    try await withProbe({ $0[.messagesPerSocket] = 1 }) { ana, probe in
      let join = try await probe.join("realtime:a", token: ana.session.accessToken)
      for _ in 0..<40 {
        try await probe.push(
          .broadcast, "realtime:a", ["event": "e", "payload": [:], "type": "broadcast"])
      }
      #expect(
        try await probe.next(.system)["payload"] == [
          "channel": "a", "extension": "system", "status": "error",
          "message": "Too many messages per second",
        ])
      #expect(try await probe.next(.close)["ref"] == join["ref"])
      try await probe.close()
    }
  }

  @Test func `a topic has a length`() async throws {
    try await withProbe({ _ in }) { ana, probe in
      let long = "realtime:" + String(repeating: "a", count: 247)
      let reply = try await probe.join(long, token: ana.session.accessToken)
      #expect(reason(reply).hasPrefix("InvalidJoinPayload: "))
      let fits = try await probe.join(
        String(long.dropLast()), token: ana.session.accessToken)
      #expect(fits["payload"]?["status"] == "ok")
      try await probe.close()
    }
  }
}
