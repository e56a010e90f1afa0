import Foundation
import RallyRules
import RallyServer
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@Suite(.everyEngine) struct PresenceTests {
  /// Joins the presence topic, checks the state, and is there.
  private func enter(
    _ person: Person, on server: TestServer, seeing others: [Person] = []
  ) async throws -> RealtimeProbe {
    let probe = try await RealtimeProbe.connect(server)
    try await probe.join(
      RealtimeTopic.presence, token: person.session.accessToken, presence: true)
    let state = try await probe.next(.presenceState)
    #expect(
      state["payload"]?.object?.keys.sorted() == others.map(\.wireID).sorted())
    let ref = try await track(probe)
    #expect(try await probe.next(.reply, ref: ref)["payload"]?["status"] == "ok")
    let own = try await probe.next(.presenceDiff)
    #expect(own["payload"]?["joins"]?.object?.keys.first == person.wireID)
    #expect(own["payload"]?["leaves"] == [:])
    return probe
  }

  private func track(
    _ probe: RealtimeProbe, device: JSONValue = "laptop"
  ) async throws -> String {
    try await probe.push(
      .presence, RealtimeTopic.presence,
      ["type": "presence", "event": "TRACK", "payload": ["device": device]])
  }

  /// Who came, by the next difference.
  private func nextJoined(_ probe: RealtimeProbe) async throws -> String? {
    try await probe.next(.presenceDiff)["payload"]?["joins"]?.object?.keys.first
  }

  /// Who went, by the next difference.
  private func nextLeft(_ probe: RealtimeProbe) async throws -> String? {
    try await probe.next(.presenceDiff)["payload"]?["leaves"]?.object?.keys.first
  }

  @Test func `friends see each other come and go, strangers nobody`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let eve = try await Person.signUp("eve", on: server)
      try await ana.befriend(ben)
      let forEve = try await enter(eve, on: server)
      let forAna = try await enter(ana, on: server)
      let forBen = try await enter(ben, on: server, seeing: [ana])

      let diff = try await forAna.next(.presenceDiff)
      let metas = diff["payload"]?["joins"]?[ben.wireID]?["metas"]?.array
      #expect(metas?.first?["device"] == "laptop")
      #expect(metas?.first?["phx_ref"]?.string?.isEmpty == false)
      #expect(diff.object?.keys.contains("ref") == true)
      #expect(try await ana.result(of: FetchFriends()).first?.presence == .online)
      #expect(try await ana.result(of: FetchFriends()).first?.lastSeen == nil)

      try await forBen.close()
      let gone = try await forAna.next(.presenceDiff)
      #expect(gone["payload"]?["leaves"]?.object?.keys.first == ben.wireID)
      #expect(gone["payload"]?["joins"] == [:])
      #expect(try await forEve.drain().isEmpty)
      #expect(try await ana.result(of: FetchFriends()).first?.presence == .offline)
      var lastSeen: WireTime?
      while lastSeen == nil {
        lastSeen = try await ana.result(of: FetchFriends()).first?.lastSeen
      }
      try await forAna.close()
      try await forEve.close()
    }
  }

  @Test func `becoming friends shows each to the other, unfriending hides them`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let forAna = try await enter(ana, on: server)
      let forBen = try await enter(ben, on: server)
      #expect(try await forAna.drain().isEmpty)

      try await ana.befriend(ben)
      #expect(try await nextJoined(forAna) == ben.wireID)
      #expect(try await nextJoined(forBen) == ana.wireID)

      _ = try await ben.result(of: BlockUser(userID: ana.id))
      #expect(try await nextLeft(forAna) == ben.wireID)
      #expect(try await nextLeft(forBen) == ana.wireID)
      try await forAna.close()
      try await forBen.close()
    }
  }

  @Test func `the key is the person's own whatever was asked for`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let probe = try await RealtimeProbe.connect(server)
      try await probe.push(
        .join, RealtimeTopic.presence,
        [
          "access_token": .string(ana.session.accessToken),
          "config": ["presence": ["key": .string(ben.wireID), "enabled": "true"]],
        ])
      _ = try await probe.next(.presenceState)
      _ = try await track(probe)
      #expect(try await nextJoined(probe) == ana.wireID)
      try await probe.close()
    }
  }

  @Test func `tracking again replaces, the last of two devices counts`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      try await ana.befriend(ben)
      let forBen = try await enter(ben, on: server)
      let laptop = try await enter(ana, on: server, seeing: [ben])
      let first = try await forBen.next(.presenceDiff)["payload"]?["joins"]?[ana.wireID]
      let reference = try #require(first?["metas"]?.array?.first?["phx_ref"])

      _ = try await track(laptop, device: "desk")
      let update = try await forBen.next(.presenceDiff)["payload"]
      #expect(
        update?["joins"]?[ana.wireID]?["metas"]?.array?.first?["phx_ref_prev"] == reference)
      #expect(
        update?["leaves"]?[ana.wireID]?["metas"]?.array?.first?["phx_ref"] == reference)

      let phone = try await enter(ana, on: server, seeing: [ana, ben])
      _ = try await forBen.next(.presenceDiff)
      try await laptop.close()
      _ = try await forBen.next(.presenceDiff)
      #expect(try await ben.result(of: FetchFriends()).first?.presence == .online)
      let ref = try await phone.push(
        .presence, RealtimeTopic.presence, ["event": "untrack", "payload": [:]])
      _ = try await phone.next(.reply, ref: ref)
      _ = try await forBen.next(.presenceDiff)
      #expect(try await ben.result(of: FetchFriends()).first?.presence == .offline)
      try await phone.close()
      try await forBen.close()
    }
  }

  // MARK: - In other rooms

  private func track(
    _ payload: JSONValue, in topic: String, _ probe: RealtimeProbe
  ) async throws -> JSONValue {
    let ref = try await probe.push(
      .presence, topic, ["type": "presence", "event": "track", "payload": payload])
    return try await probe.next(.reply, ref: ref)["payload"] ?? .null
  }

  @Test func `in a room friends see each other under the keys they chose`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let eve = try await Person.signUp("eve", on: server)
      try await ana.befriend(ben)
      var probes: [RealtimeProbe] = []
      for (person, key) in [(ana, "desk"), (ben, "sofa"), (eve, "desk")] {
        let probe = try await RealtimeProbe.connect(server)
        try await probe.push(
          .join, "realtime:room",
          [
            "access_token": .string(person.session.accessToken),
            "config": ["presence": ["key": .string(key), "enabled": true]],
          ])
        let state = try await probe.next(.presenceState)
        let seen = state["payload"]?.object?.keys.sorted()
        #expect(seen == (person.username == "ben" ? ["desk"] : []))
        #expect(try await track(["x": 1], in: "realtime:room", probe)["status"] == "ok")
        #expect(try await nextJoined(probe) == key)
        probes.append(probe)
      }
      let diff = try await probes[0].next(.presenceDiff)
      #expect(diff["payload"]?["joins"]?["sofa"]?["metas"]?.array?.first?["x"] == 1)
      // What happens in a room says nothing about being online.
      #expect(try await ana.result(of: FetchFriends()).first?.presence == .offline)
      let leave = try await probes[1].push(.leave, "realtime:room")
      _ = try await probes[1].next(.reply, ref: leave)
      #expect(
        try await probes[0].next(.presenceDiff)["payload"]?["leaves"]?.object?.keys.first
          == "sofa")
      #expect(try await probes[2].drain().isEmpty)
      for probe in probes { try await probe.close() }
    }
  }

  @Test func `whoever tracks without having asked for presence is told of it, too`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let probe = try await RealtimeProbe.connect(server)
      try await probe.join("realtime:room", token: ana.session.accessToken)
      let ref = try await probe.push(
        .presence, "realtime:room", ["event": "track", "payload": ["x": 1]])
      #expect(try await probe.next(.presenceState)["payload"] == [:])
      #expect(try await probe.next(.reply, ref: ref)["payload"]?["status"] == "ok")
      _ = try await probe.next(.presenceDiff)
      // The same again is answered and told to nobody.
      #expect(try await track(["x": 1], in: "realtime:room", probe)["status"] == "ok")
      #expect(try await probe.drain().isEmpty)
      try await probe.close()
    }
  }

  @Test func `what cannot be tracked is answered`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let probe = try await RealtimeProbe.connect(server)
      let topic = RealtimeTopic.presence
      try await probe.join(topic, token: ana.session.accessToken, presence: true)
      _ = try await probe.next(.presenceState)
      let list = try await track([1], in: topic, probe)
      #expect(list["response"]?["reason"] == "Presence track payload must be a map")
      let ref = try await probe.push(.presence, topic, ["event": "jump"])
      #expect(try await probe.next(.reply, ref: ref)["payload"]?["status"] == "error")

      let long = JSONValue.string(String(repeating: "x", count: 5000))
      try await probe.push(
        .presence, topic, ["event": "track", "payload": ["text": long]])
      #expect(
        try await probe.next(.system)["payload"]?["message"] == "Track message size exceeded")
      _ = try await probe.next(.close)
      try await probe.close()
    }
  }

  @Test func `whoever tracks without end is shown out of the channel`() async throws {
    try await TestServer.with(configure: { $0.budgets[.presencePerChannel] = 3 }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let probe = try await RealtimeProbe.connect(server)
      let topic = RealtimeTopic.presence
      try await probe.join(topic, token: ana.session.accessToken, presence: true)
      for number in 0..<4 {
        try await probe.push(
          .presence, topic, ["event": "track", "payload": ["n": .integer(Int64(number))]])
      }
      #expect(
        try await probe.next(.system)["payload"]?["message"]
          == "Client presence rate limit exceeded")
      _ = try await probe.next(.close)
      #expect(try await probe.drain().isEmpty)
      try await probe.close()
    }
  }
}
