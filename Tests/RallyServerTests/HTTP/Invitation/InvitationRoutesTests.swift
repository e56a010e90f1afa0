import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

/// An invitation's link, as somebody opens it who has no account and no API key.
@Suite(.everyEngine) struct InvitationRoutesTests {
  private let nothing = ["apikey": "", "authorization": ""]

  private func page(of server: TestServer) async throws -> RawClient.Reply {
    try await RawClient(server).send(.GET, "/i", headers: nothing)
  }

  private func ask(
    _ code: String, on server: TestServer, from address: String? = nil
  ) async throws -> RawClient.Reply {
    var headers = nothing
    headers["X-Forwarded-For"] = address
    return try await RawClient(server).send(
      .POST, "/i", ["code": .string(code)], headers: headers)
  }

  // MARK: - The page

  @Test func `the page is the same for everybody, and runs its own script and style alone`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let code = try await ana.result(of: CreateInvitation(missionID: nil)).code
      let reply = try await page(of: server)
      #expect(reply.status == 200)
      #expect(reply.headers.first(name: "content-type") == "text/html; charset=utf-8")
      #expect(reply.headers.first(name: "referrer-policy") == "no-referrer")
      #expect(reply.headers.first(name: "x-robots-tag") == "noindex")
      #expect(reply.headers.first(name: "x-content-type-options") == "nosniff")
      #expect(reply.headers.first(name: "cache-control") == "no-store")
      let text = String(decoding: reply.body, as: UTF8.self)
      func content(of element: String) throws -> Substring {
        let start = try #require(text.firstRange(of: "<\(element)>")).upperBound
        let end = try #require(text.firstRange(of: "</\(element)>")).lowerBound
        return text[start..<end]
      }
      func hash(of element: String) throws -> String {
        let digest = Data(Sodium.sha256(try content(of: element).utf8))
        return "'sha256-\(digest.base64EncodedString())'"
      }
      let policy = try #require(reply.headers.first(name: "content-security-policy"))
      #expect(
        policy == """
          default-src 'none'; script-src \(try hash(of: "script")); \
          style-src \(try hash(of: "style")); connect-src 'self'; base-uri 'none'; \
          form-action 'none'; frame-ancestors 'none'
          """)
      #expect(reply.body.count < 20_000)
      // Nothing else is fetched, nothing is written as HTML, and no secret is in it.
      for word in [
        "innerHTML", "src=", "href=", "style=", "onclick", server.key, code.value, "ana",
      ] {
        #expect(!text.contains(word), "\(word)")
      }
      // A preview uses nothing up and sees the same.
      #expect(try await page(of: server).body == reply.body)
      let head = try await RawClient(server).send(.HEAD, "/i", headers: nothing)
      #expect(head.status == 200 && head.body.isEmpty)
      #expect(try await ana.result(of: FetchInvitations()).map(\.used) == [0])
      #expect(try await ask(code.value, on: server).status == 200)
    }
  }

  // MARK: - The answer

  @Test(.acrossNodes) func `an open code tells who invites, and the key, to who has no key`()
    async throws
  {
    try await TestServer.with(configure: { $0.sshCommand = "ssh -p 2222 rally@host" }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let code = try await ana.result(of: CreateInvitation(missionID: nil)).code
      #expect(code.value.count == 16)
      for typed in [code.value, code.description.lowercased(), code.link] {
        let reply = try await ask(typed, on: server)
        #expect(reply.status == 200)
        #expect(
          reply.json == [
            "kind": "friendship", "inviter": ["username": "ana", "display_name": "Ana"],
            "key": .string(server.key), "ssh": "ssh -p 2222 rally@host",
          ])
      }
      // Asking is not accepting.
      #expect(try await ana.result(of: FetchInvitations()).map(\.used) == [0])
    }
  }

  @Test func `a mission's code tells its title and its day there, and nothing finer`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      // Noon of the next day in UTC is the day after in Auckland.
      let noon = WireTime(
        microseconds: (WireTime.now.microseconds / 86_400_000_000 + 1) * 86_400_000_000
          + 43_200_000_000)
      var call = CreateMission.sample(
        "Fog run", startsAt: noon, endsAt: noon.advanced(by: .seconds(3600)))
      (call.latitude, call.longitude) = (-36.85, 174.76)
      let mission = try await ana.result(of: call)
      let code = try await ana.result(of: CreateInvitation(missionID: mission.id)).code
      let reply = try await ask(code.value, on: server)
      let day = String(noon.advanced(by: .seconds(86_400)).zulu.prefix(10))
      #expect(reply.json["kind"] == "mission")
      #expect(reply.json["mission"] == ["title": "Fog run", "day": .string(day)])
      _ = try await ana.result(of: CancelMission(missionID: mission.id))
      #expect(try await ask(code.value, on: server).status == 404)
    }
  }

  @Test func `an unknown, a revoked and an ended code are answered alike`() async throws {
    let weeks = Counter()
    try await TestServer.with(configure: {
      $0.now = { .now.advanced(by: .seconds(weeks.value * 8 * 86_400)) }
    }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let revoked = try await ana.result(of: CreateInvitation(missionID: nil)).code
      _ = try await ana.result(of: RevokeInvitation(code: revoked))
      let once = try await ana.result(of: CreateInvitation(missionID: nil)).code
      _ = try await ben.result(of: AcceptInvitation(code: once))
      let used = try await ask(once.value, on: server)
      #expect(used.status == 410)
      #expect(used.json["hint"] == "invitation_over")
      let other = try await ana.result(of: CreateInvitation(missionID: nil)).code
      #expect(try await ask(other.value, on: server).status == 200)
      weeks.increment()
      let expected = try await ask("0000000000000000", on: server)
      #expect(expected.status == 404)
      #expect(expected.json["hint"] == "not_found")
      // A used one that has ended is ended; one of ten characters is too short to be guessed at.
      for code in [revoked.value, other.value, once.value, "7QK2MX9PTF", "7QK2", "", "\u{1B}[31m"] {
        let reply = try await ask(code, on: server)
        #expect(reply.status == 404 && reply.body == expected.body, "\(code)")
      }
      for body in ["", "[]", "{\"code\":7}", "x"] {
        let reply = try await RawClient(server).send(
          .POST, "/i", data: Data(body.utf8), headers: nothing)
        #expect(reply.status == 404 && reply.body == expected.body, "\(body)")
      }
    }
  }

  @Test func `an operator's code lets one person in, without a friend`() async throws {
    let folder = ServedFolder()
    try await folder.serve(configure: { $0.signUpPolicy = .invited }) { server in
      let administration = try await AccountAdministration(.folder(folder.path))
      let code = try await administration.invite(for: .seconds(3600))
      try administration.close()
      let reply = try await ask(code.value, on: server)
      #expect(reply.json == ["kind": "group", "key": .string(server.key)])
      func signUp(_ name: String) async throws -> Int {
        try await RawClient(server).send(
          .POST, "/auth/v1/signup",
          [
            "email": .string("\(name)@example.org"), "password": .string(Person.password),
            "data": ["username": .string(name), "invitation_code": .string(code.value)],
          ]
        ).status
      }
      #expect(try await signUp("ana") == 200)
      #expect(try await signUp("ben") == 422)
      #expect(try await ask(code.value, on: server).status == 404)
    }
  }

  // MARK: - Guesses

  @Test(.acrossNodes) func `guesses of an address are counted before their body is read`()
    async throws
  {
    try await TestServer.with(configure: {
      $0.budgets = Budgets([.openedInvitationsPerAddress: 16])
      $0.trustedProxies = ["127.0.0.1"]
    }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let code = try await ana.result(of: CreateInvitation(missionID: nil)).code
      var refusal: RawClient.Reply?
      for number in 0..<40 where refusal == nil {
        let reply = try await ask("000000000000000\(number % 10)", on: server, from: "192.0.2.1")
        if reply.status != 404 { refusal = reply }
      }
      #expect(refusal?.status == 429)
      #expect(refusal?.headers.first(name: "retry-after").flatMap(Int.init) ?? 0 > 0)
      // What is no body of ours is refused for the same reason.
      let long = try await RawClient(server).send(
        .POST, "/i", data: Data(repeating: 0x20, count: 100_000),
        headers: nothing.merging(["X-Forwarded-For": "192.0.2.1"]) { $1 })
      #expect(long.status == 429)
      #expect(try await ask(code.value, on: server, from: "192.0.2.1").status == 429)
      #expect(try await ask(code.value, on: server, from: "192.0.2.2").status == 200)
      let tooLong = try await RawClient(server).send(
        .POST, "/i", data: Data(repeating: 0x20, count: 9000),
        headers: nothing.merging(["X-Forwarded-For": "192.0.2.3"]) { $1 })
      #expect(tooLong.status == 413)
    }
  }

  @Test func `neither a code nor the key is in the log`() async throws {
    let log = LogCapture()
    let server = try await TestServer.start(logger: log.logger)
    let ana = try await Person.signUp("ana", on: server)
    let code = try await ana.result(of: CreateInvitation(missionID: nil)).code
    _ = try await ask(code.value, on: server)
    _ = try await page(of: server)
    try await server.stop()
    #expect(log.text.contains("POST"))
    #expect(!log.text.contains(code.value))
    #expect(!log.text.contains(server.key))
  }

  @Test func `the settings say how the group is reached, where the operator said it`() async throws
  {
    try await TestServer.with(configure: {
      $0.publicURL = "https://rally.example.org"
      $0.sshCommand = "ssh rally@rally.example.org"
    }) { server in
      let said = try await RawClient(server).send(.GET, "/auth/v1/settings")
        .decoded(AuthSettings.self)
      #expect(
        said
          == AuthSettings(
            policy: .open, publicURL: "https://rally.example.org",
            ssh: "ssh rally@rally.example.org"))
    }
  }
}
