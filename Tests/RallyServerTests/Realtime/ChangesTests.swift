import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@Suite(.everyEngine, .acrossNodes) struct ChangesTests {
  private static let binding: JSONValue = [
    "event": "*", "schema": "public", "table": "friendships",
  ]

  @Test func `the person who is asked hears of the request at once`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let probe = try await RealtimeProbe.connect(server)
      try await probe.listen(token: ben.session.accessToken)

      _ = try await ana.result(of: RequestFriend(userID: ben.id))

      let change = try await probe.next(.postgresChanges)
      let data = try #require(change["payload"]?["data"])
      #expect(data["type"] == "INSERT")
      #expect(data["schema"] == "public")
      #expect(data["table"] == "friendships")
      #expect(data["errors"] == .null)
      #expect(data.object?.keys.contains("errors") == true)
      #expect(data.object?.keys.contains("old_record") == false)
      #expect(data["columns"]?.array?.first == ["name": "id", "type": "uuid"])
      #expect(data["commit_timestamp"]?.string?.hasSuffix("Z") == true)
      #expect(data["record"]?["requester_id"] == .string(ana.wireID))
      #expect(data["record"]?["accepted_at"] == .null)
      #expect(change.object?.keys.sorted() == ["event", "payload", "ref", "topic"])
      #expect(change["ref"] == .null)
      try await probe.close()
    }
  }

  @Test func `both hear of each step and nobody else of any`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let eve = try await Person.signUp("eve", on: server)
      let (forAna, forBen, forEve, forNobody) = (
        try await RealtimeProbe.connect(server), try await RealtimeProbe.connect(server),
        try await RealtimeProbe.connect(server), try await RealtimeProbe.connect(server)
      )
      try await forAna.listen(token: ana.session.accessToken)
      try await forBen.listen(token: ben.session.accessToken)
      try await forEve.listen(token: eve.session.accessToken)
      try await forNobody.join(
        RealtimeTopic.friendships, token: server.key,
        bindings: [["event": "*", "schema": "public", "table": "friendships"]])

      _ = try await ana.result(of: RequestFriend(userID: ben.id))
      for probe in [forAna, forBen] {
        #expect(try await probe.next(.postgresChanges)["payload"]?["data"]?["type"] == "INSERT")
      }
      _ = try await ben.result(of: RespondToFriendRequest(userID: ana.id, accept: true))
      for probe in [forAna, forBen] {
        let data = try await probe.next(.postgresChanges)["payload"]?["data"]
        #expect(data?["type"] == "UPDATE")
        #expect(data?["record"]?["status"] == "accepted")
        #expect(data?["record"]?["version"] == 2)
        #expect(data?["old_record"]?.object?.keys.sorted() == ["id"])
      }
      _ = try await ana.result(of: BlockUser(userID: ben.id))
      for probe in [forAna, forBen] {
        let data = try await probe.next(.postgresChanges)["payload"]?["data"]
        #expect(data?["type"] == "DELETE")
        #expect(data?["old_record"]?.object?.keys.sorted() == ["id"])
        #expect(data?.object?.keys.contains("record") == false)
      }
      // Everything was sent to those who may see it: what the others were to get, they have.
      let heard = [try await forEve.drain(), try await forNobody.drain()].joined()
      #expect(!heard.contains { $0["event"] == "postgres_changes" })
      for probe in [forAna, forBen, forEve, forNobody] { try await probe.close() }
    }
  }

  @Test func `somebody blocked hears nothing of what the blocker does`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let cleo = try await Person.signUp("cleo", on: server)
      _ = try await ana.result(of: BlockUser(userID: ben.id))
      let forBen = try await RealtimeProbe.connect(server)
      let forCleo = try await RealtimeProbe.connect(server)
      try await forBen.listen(token: ben.session.accessToken)
      try await forCleo.listen(token: cleo.session.accessToken)

      _ = try await ana.result(of: RequestFriend(userID: cleo.id))
      _ = try await ana.result(of: UnblockUser(userID: ben.id))

      _ = try await forCleo.next(.postgresChanges)
      #expect(try await forBen.drain().isEmpty)
      try await forBen.close()
      try await forCleo.close()
    }
  }

  @Test func `bindings come back verbatim, in order, with ids that are not zero`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let probe = try await RealtimeProbe.connect(server)
      let bindings: [JSONValue] = [
        ["event": "INSERT", "schema": "public", "table": "friendships", "extra": 1],
        ["event": "*", "schema": "public"],
        [
          "event": "UPDATE", "schema": "public", "table": "friendships",
          "filter": .string("addressee_id=eq.\(ana.wireID)"),
        ],
      ]
      let reply = try await probe.join(
        "realtime:any", token: ana.session.accessToken, bindings: bindings)
      #expect(reply["payload"]?["status"] == "ok")
      let echoed = try #require(reply["payload"]?["response"]?["postgres_changes"]?.array)
      #expect(echoed.count == 3)
      for (asked, answered) in zip(bindings, echoed) {
        var object = try #require(answered.object)
        let id = try #require(object.removeValue(forKey: "id")?.integer)
        #expect(id != 0)
        #expect(JSONValue.object(object) == asked)
      }
      let system = try await probe.next(.system)
      #expect(
        system["payload"] == [
          "channel": "any", "extension": "postgres_changes",
          "message": "Subscribed to PostgreSQL", "status": "ok",
        ])
      #expect(system.object?.keys.contains("ref") == true)
      try await probe.close()
    }
  }

  @Test func `one frame names all the bindings of a channel that match`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      func table(_ event: String, _ filter: String? = nil) -> JSONValue {
        var json: [String: JSONValue] = [
          "event": .string(event), "schema": "public", "table": "friendships",
        ]
        if let filter { json["filter"] = .string(filter) }
        return .object(json)
      }
      let probe = try await RealtimeProbe.connect(server)
      let reply = try await probe.join(
        "realtime:any", token: ben.session.accessToken,
        bindings: [
          table("*"), table("UPDATE"), table("INSERT", "requester_id=eq.\(ana.wireID)"),
          table("INSERT", "requester_id=neq.\(ana.wireID)"),
          table("INSERT", "status=in.(pending,accepted),addressee_id=eq.\(ben.wireID)"),
        ])
      let ids = try #require(reply["payload"]?["response"]?["postgres_changes"]?.array)
        .map { $0["id"] ?? .null }
      _ = try await probe.next(.system)
      _ = try await ana.result(of: RequestFriend(userID: ben.id))
      let change = try await probe.next(.postgresChanges)
      #expect(change["payload"]?["ids"] == .array([ids[0], ids[2], ids[4]]))
      #expect(try await probe.drain().isEmpty)
      try await probe.close()
    }
  }

  @Test(
    arguments: [
      ["event": "*", "schema": "public", "table": "users"],
      ["event": "*", "schema": "secret", "table": "friendships"],
      ["event": "*", "schema": "public", "table": "friendships", "filter": "nope=eq.1"],
      ["event": "*", "schema": "public", "table": "friendships", "filter": "id=like.*"],
      ["event": "*", "schema": "public", "table": "friendships", "filter": nil],
      ["event": "*", "schema": "public", "table": nil],
      ["event": "UPSERT", "schema": "public", "table": "friendships"],
      ["event": "*", "schema": "public", "table": "friendships", "select": ["nope"]],
      ["event": "*", "schema": "public", "table": "friendships", "select": "id"],
      ["event": "*", "schema": "public", "filter": "id=eq.1"],
    ] as [JSONValue])
  func `what cannot be listened to is said after the join`(_ binding: JSONValue) async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let probe = try await RealtimeProbe.connect(server)
      let reply = try await probe.join(
        "realtime:any", token: ana.session.accessToken, bindings: [binding])
      #expect(reply["payload"]?["status"] == "ok")
      let system = try await probe.next(.system)
      #expect(system["payload"]?["status"] == "error")
      #expect(system["payload"]?["extension"] == "postgres_changes")
      _ = try await ana.result(of: RequestFriend(userID: ben.id))
      #expect(try await probe.drain().isEmpty)
      try await probe.close()
    }
  }

  @Test func `a binding may want some columns, and gets a frame of its own`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let probe = try await RealtimeProbe.connect(server)
      let some: JSONValue = [
        "event": "*", "schema": "public", "table": "friendships", "select": ["status", "version"],
      ]
      let reply = try await probe.join(
        "realtime:any", token: ben.session.accessToken, bindings: [Self.binding, some, some])
      let echoed = try #require(reply["payload"]?["response"]?["postgres_changes"]?.array)
      #expect(echoed[1]["select"] == ["status", "version"])
      let ids = echoed.compactMap { $0["id"]?.integer }
      _ = try await probe.next(.system)
      _ = try await ana.result(of: RequestFriend(userID: ben.id))
      let frames = [
        try await probe.next(.postgresChanges), try await probe.next(.postgresChanges),
      ].compactMap { $0["payload"] }
      let cut = try #require(frames.first { $0["ids"]?.array?.count == 2 })
      #expect(cut["ids"] == [.integer(ids[1]), .integer(ids[2])])
      #expect(cut["data"]?["record"] == ["status": "pending", "version": 1])
      #expect(cut["data"]?["columns"]?.array?.count == 2)
      let whole = try #require(frames.first { $0["ids"]?.array?.count == 1 })
      #expect(whole["data"]?["record"]?["requester_id"] == .string(ana.wireID))

      // What the key of a deleted row was is always said.
      _ = try await ana.result(of: CancelFriendRequest(userID: ben.id))
      for _ in 0..<2 {
        let data = try await probe.next(.postgresChanges)["payload"]?["data"]
        #expect(data?["old_record"]?.object?.keys.sorted() == ["id"])
      }
      try await probe.close()
    }
  }

  @Test func `a change made right after the system message is never missed`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      for _ in 0..<20 {
        let probe = try await RealtimeProbe.connect(server)
        try await probe.listen(token: ben.session.accessToken)
        _ = try await ana.result(of: RequestFriend(userID: ben.id))
        _ = try await probe.next(.postgresChanges)
        _ = try await ana.result(of: CancelFriendRequest(userID: ben.id))
        _ = try await probe.next(.postgresChanges)
        try await probe.close()
      }
    }
  }
}
