import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// Limits as a client meets them: status, code and when to come again.
@Suite(.everyEngine, .acrossNodes) struct RateLimitTests {
  private static let few = Budgets([
    .signUpsPerAddress: 50, .signInsPerAddress: 50, .guessesPerAccountAndAddress: 2,
    .refreshesPerSession: 2, .searchesPerPerson: 2, .requestsPerPerson: 2,
    .invitationsPerPerson: 2, .profileChangesPerPerson: 2,
  ])

  private func statuses(_ replies: [RawClient.Reply]) -> [Int] { replies.map(\.status) }

  private func wait(_ reply: RawClient.Reply) -> Int? {
    reply.headers.first(name: "Retry-After").flatMap(Int.init)
  }

  private func signIn(
    _ email: String, _ password: String, on server: TestServer, from address: String? = nil
  ) async throws -> RawClient.Reply {
    try await RawClient(server).send(
      .POST, "/auth/v1/token?grant_type=password",
      ["email": .string(email), "password": .string(password)],
      headers: [
        AuthFailure.versionHeader: AuthFailure.version, "X-Forwarded-For": address ?? "",
      ])
  }

  @Test func `wrong passwords from elsewhere do not keep the owner out`() async throws {
    try await TestServer.with(configure: {
      $0.budgets = Budgets([.guessesPerAccountAndAddress: 2, .guessesPerAccount: 4])
      $0.trustedProxies = ["127.0.0.1"]
    }) { server in
      _ = try await Person.signUp("ana", on: server)
      func status(_ password: String, from address: String) async throws -> Int {
        try await signIn("ana@example.org", password, on: server, from: address).status
      }
      for expected in [400, 400, 429] {
        #expect(try await status("wrong horse", from: "192.0.2.1") == expected)
      }
      #expect(try await status(Person.password, from: "192.0.2.9") == 200)
      // Now from many addresses, until the account as a whole is refused to strangers.
      for number in 20..<30 { _ = try await status("wrong horse", from: "192.0.2.\(number)") }
      #expect(try await status("wrong horse", from: "192.0.2.40") == 429)
      #expect(try await status(Person.password, from: "192.0.2.9") == 200)
    }
  }

  @Test func `nobody is kept out where they signed up or went on with a session`() async throws {
    try await TestServer.with(configure: {
      $0.budgets = Budgets([.guessesPerAccountAndAddress: 2, .guessesPerAccount: 4])
      $0.trustedProxies = ["127.0.0.1"]
    }) { server in
      let (signUp, refresh) = ("192.0.2.5", "192.0.2.6")
      let session = try await RawClient(server).send(
        .POST, "/auth/v1/signup",
        ["email": "ana@example.org", "password": .string(Person.password)],
        headers: ["X-Forwarded-For": signUp]
      ).decoded(AuthSession.self)
      let refreshed = try await RawClient(server).send(
        .POST, "/auth/v1/token?grant_type=refresh_token",
        ["refresh_token": .string(session.refreshToken)], headers: ["X-Forwarded-For": refresh])
      #expect(refreshed.status == 200)
      func status(_ password: String, from address: String) async throws -> Int {
        try await signIn("ana@example.org", password, on: server, from: address).status
      }
      for number in 20..<30 { _ = try await status("wrong horse", from: "192.0.2.\(number)") }
      #expect(try await status(Person.password, from: "192.0.2.40") == 429)
      for address in [signUp, refresh] {
        #expect(try await status(Person.password, from: address) == 200, "\(address)")
      }
    }
  }

  @Test func `guessing at an account ends, whether there is one or not`() async throws {
    try await TestServer.with(configure: { $0.budgets = Self.few }) { server in
      _ = try await Person.signUp("ana", on: server)
      // However it is written, it is the same account.
      for emails in [
        ["ana@example.org", " Ana@example.org", "ana@example.org\t"],
        ["Nobody@example.org", "nobody@example.org  ", "nobody@example.org"],
      ] {
        var replies: [RawClient.Reply] = []
        for email in emails { replies.append(try await signIn(email, "wrong horse", on: server)) }
        #expect(statuses(replies) == [400, 400, 429])
        #expect(replies[2].json["code"] == "over_request_rate_limit")
        #expect((100...150).contains(wait(replies[2]) ?? 0))
      }
    }
  }

  @Test func `whoever knows the password uses nothing up`() async throws {
    try await TestServer.with(configure: { $0.budgets = Self.few }) { server in
      _ = try await Person.signUp("ana", on: server)
      for _ in 0..<5 {
        #expect(try await signIn("ana@example.org", Person.password, on: server).status == 200)
      }
    }
  }

  @Test func `guessing at one's own password with a token ends, too`() async throws {
    try await TestServer.with(configure: { $0.budgets = Self.few }) { server in
      let ana = try await Person.signUp("ana", on: server)
      func guess(_ body: JSONValue) async throws -> Int {
        try await ana.client.send(.PUT, "/auth/v1/user", body).status
      }
      #expect(
        try await guess(["password": "battery staple", "current_password": "a guess"]) == 400)
      #expect(try await guess(["password": .string(Person.password)]) == 422)
      #expect(try await guess(["password": "battery staple"]) == 429)
      // What costs no hash goes on.
      #expect(try await guess(["data": ["colour": "blue"]]) == 200)
    }
  }

  @Test func `one session is refreshed so often and no more`() async throws {
    try await TestServer.with(configure: { $0.budgets = Self.few }) { server in
      let ana = try await Person.signUp("ana", on: server)
      var token = ana.session.refreshToken
      for _ in 0..<2 {
        let reply = try await refresh(token, on: server)
        token = try reply.decoded(AuthSession.self).refreshToken
      }
      let refused = try await refresh(token, on: server)
      #expect(refused.status == 429)
      #expect(wait(refused) != nil)
      let ben = try await Person.signUp("ben", on: server)
      #expect(try await refresh(ben.session.refreshToken, on: server).status == 200)
    }
  }

  private func refresh(_ token: String, on server: TestServer) async throws -> RawClient.Reply {
    try await RawClient(server).send(
      .POST, "/auth/v1/token?grant_type=refresh_token", ["refresh_token": .string(token)])
  }

  @Test func `searching, asking strangers and trying codes have limits of each person`()
    async throws
  {
    try await TestServer.with(configure: { $0.budgets = Self.few }) { server in
      let (ana, ben) = (
        try await Person.signUp("ana", on: server), try await Person.signUp("ben", on: server)
      )
      func expectLimit(_ call: (Person) async throws -> RawClient.Reply) async throws {
        for _ in 0..<2 { #expect(try await call(ana).status != 429) }
        let refused = try await call(ana)
        #expect(refused.status == 429)
        #expect(refused.json["code"] == "PT429")
        #expect(refused.headers.first(name: "Proxy-Status") == "PostgREST; error=PT429")
        #expect((100...150).contains(wait(refused) ?? 0))
        #expect(try await call(ben).status != 429)
      }
      try await expectLimit { try await $0.client.call(SearchPeople(query: "an")) }
      // The table is no way around it.
      let people = try await ana.client.send(.GET, "/rest/v1/profiles?username=eq.ben")
      #expect(people.status == 429)
      try await expectLimit { try await $0.client.call(RequestFriend(userID: UUID())) }
      try await expectLimit {
        try await $0.client.send(
          .POST, "/rest/v1/rpc/fetch_invitation", ["p_code": "0000000000"])
      }
      try await expectLimit { try await $0.client.call(UpdateProfile(username: $0.username)) }
      // A read that is no search goes on.
      #expect(try await ana.client.call(FetchFriends()).status == 200)
    }
  }

  @Test func `one address has limits, whoever comes from it`() async throws {
    let one = Budgets([
      .signUpsPerAddress: 9, .signInsPerAddress: 1, .searchesPerPerson: 1,
      .requestsPerPerson: 1, .peoplePerAddress: 1,
    ])
    try await TestServer.with(configure: { $0.budgets = one }) { server in
      let (ana, ben) = (
        try await Person.signUp("ana", on: server), try await Person.signUp("ben", on: server)
      )
      #expect(try await signIn("ana@example.org", Person.password, on: server).status == 200)
      #expect(try await signIn("ben@example.org", Person.password, on: server).status == 429)
      #expect(try await refresh(ana.session.refreshToken, on: server).status == 200)
      #expect(try await refresh(ben.session.refreshToken, on: server).status == 429)
      #expect(try await ana.client.call(SearchPeople(query: "an")).status == 200)
      #expect(try await ben.client.call(SearchPeople(query: "an")).status == 429)
      #expect(try await ana.client.call(RequestFriend(userID: ben.id)).status != 429)
      #expect(try await ben.client.call(RequestFriend(userID: ana.id)).status == 429)
    }
  }

  @Test func `behind a trusted proxy everybody has their own address`() async throws {
    func codes(trusted: [String]) async throws -> [Int] {
      try await TestServer.with(configure: {
        $0.budgets = Budgets([.signUpsPerAddress: 1])
        $0.trustedProxies = trusted
      }) { server in
        var codes: [Int] = []
        for number in 0..<2 {
          codes.append(
            try await RawClient(server).send(
              .POST, "/auth/v1/signup",
              ["email": .string("p\(number)@example.org"), "password": "correct horse"],
              headers: ["X-Forwarded-For": "192.0.2.\(number)"]
            ).status)
        }
        return codes
      }
    }
    #expect(try await codes(trusted: ["127.0.0.1"]) == [200, 200])
    #expect(try await codes(trusted: []) == [200, 429])
  }
}
