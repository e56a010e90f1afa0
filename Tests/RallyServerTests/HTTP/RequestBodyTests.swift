import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// What is asked before a body is read: who sends it, and whether they may.
@Suite(.everyEngine) struct RequestBodyTests {
  /// More than `body-bytes`, which whoever reads it refuses with 413, and less than ends a connection.
  private static let large = Data(repeating: UInt8(ascii: " "), count: (1 << 20) + 1)
  /// Long, and within every limit but that of values.
  private static let elements = Data(
    ("[" + String(repeating: "{},", count: WireJSON.mostValues) + "{}]").utf8)

  private static let functions = [
    PublishLocations.name, FetchFriends.name, SearchPeople.name, CreateMission.name, "nothing",
  ]

  @Test func `a body of somebody unknown is not read`() async throws {
    try await TestServer.with { server in
      let stranger = RawClient(server)
      for path in ["owntracks", "overland", "traccar?id=x", "gpslogger?id=x"] {
        let secret = AccessSecret.sample().value
        let reply = try await stranger.send(
          .POST, "/phone/" + path.replacingOccurrences(of: "=x", with: "=" + secret),
          data: Self.large, headers: ["authorization": "Bearer \(secret)"])
        #expect(reply.status == 401, "\(path)")
      }
      var liar = stranger
      liar.token = "a.b.c"
      for client in [stranger, liar] {
        for name in Self.functions {
          let reply = try await client.send(.POST, "/rest/v1/rpc/\(name)", data: Self.large)
          #expect([401, 404].contains(reply.status), "\(name)")
        }
        for path in ["/rest/v1/profiles", "/realtime/v1/api/broadcast", "/auth/v1/ssh/ticket"] {
          let reply = try await client.send(.POST, path, data: Self.large)
          #expect([401, 403].contains(reply.status), "\(path)")
        }
      }
    }
  }

  @Test func `where nobody can be known yet 8 KiB are read`() async throws {
    try await TestServer.with { server in
      let client = RawClient(server)
      let most = 8192
      func status(_ path: String, _ bytes: Int) async throws -> Int {
        let data = Data(repeating: UInt8(ascii: " "), count: bytes)
        return try await client.send(.POST, path, data: data).status
      }
      for path in [
        "/auth/v1/signup", "/auth/v1/recover", "/auth/v1/token?grant_type=password",
        "/auth/v1/token?grant_type=refresh_token",
      ] {
        let answers = [try await status(path, most), try await status(path, most + 1)]
        #expect(answers == [400, 413], "\(path)")
      }
      for path in ["/phone/traccar", "/phone/gpslogger"] {
        let answers = [try await status(path, most), try await status(path, most + 1)]
        #expect(answers == [401, 413], "\(path)")
      }
    }
  }

  @Test func `the session comes before what a long body says, and after it where that is short`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      func codes() async throws -> Set<String?> {
        var codes: Set<String?> = []
        for name in Self.functions.dropLast() {
          for body in [Data("[".utf8), Self.elements] {
            let reply = try await ana.client.send(.POST, "/rest/v1/rpc/\(name)", data: body)
            codes.insert(reply.json["code"]?.string)
          }
        }
        return codes
      }
      // No object, and more values than there may be.
      #expect(try await codes() == ["PGRST102", "PGRST000"])
      #expect(try await ana.client.send(.POST, "/auth/v1/logout", [:]).status == 204)
      #expect(try await codes() == [FunctionFailure.badToken])
    }
  }

  @Test func `a call that cannot be read takes from the budget, long or short`() async throws {
    try await TestServer.with(configure: { $0.budgets[.positionsPerMinute] = 6 }) { server in
      let ana = try await Person.signUp("ana", on: server)
      func publish(_ body: Data) async throws -> Int {
        try await ana.client.send(.POST, "/rest/v1/rpc/\(PublishLocations.name)", data: body).status
      }
      // An account of today has a third.
      #expect(try await publish(Self.elements) == 413)
      #expect(try await publish(Data("{".utf8)) == 400)
      for body in [Self.elements, Data("{".utf8)] { #expect(try await publish(body) == 429) }
    }
  }

  @Test func `a long call that is repeated takes nothing`() async throws {
    try await TestServer.with(configure: { $0.budgets[.missionsPerMinute] = 6 }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let call = try JSONWriter.text(of: JSONValue(encoding: CreateMission.sample("One")))
      let id = UUID().wireText
      // Space is part of no argument.
      let long = Data(
        (call.dropLast() + #","p_client_id":"\#(id)"\#(String(repeating: " ", count: 9000))}"#).utf8
      )
      for _ in 0..<4 {
        let reply = try await ana.client.send(
          .POST, "/rest/v1/rpc/\(CreateMission.name)", data: long)
        #expect(reply.status == 200)
      }
      #expect(try await ana.client.call(CreateMission.sample("Two")).status == 200)
      #expect(try await ana.client.call(CreateMission.sample("Three")).status == 429)
    }
  }

  @Test func `asking for a new password is counted`() async throws {
    try await TestServer.with(configure: { $0.budgets[.signInsPerAddress] = 2 }) { server in
      var answers: [Int] = []
      for _ in 0..<3 {
        answers.append(try await RawClient(server).send(.POST, "/auth/v1/recover", [:]).status)
      }
      #expect(answers.last == 429)
      #expect(!answers.dropLast().contains(429))
    }
  }
}
