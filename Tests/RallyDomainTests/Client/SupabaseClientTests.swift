import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain

@Suite struct SupabaseClientTests {
  @Test func `a client without a server throws notConfigured`() async {
    await #expect(throws: NetworkError.notConfigured) {
      _ = try await SupabaseClient().page(FetchFriends())
    }
  }

  @Test func `a client stands on the session of another one`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let shared = SupabaseClient()
      shared.stand(on: ana.client)
      #expect(try await FriendsService(client: shared).fetchFriends().isEmpty)
      #expect(await AuthService(client: shared).currentUserID == ana.userID)
    }
  }

  @Test(arguments: ["PGRST301", "PGRST303"])
  func `a token that the server calls old is renewed once and the call repeated`(
    code: String
  ) async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      ana.gate.answer("fetch_friends", try refusal(401, code: code), times: 1)
      #expect(try await ana.friendsService.fetchFriends().isEmpty)
      #expect(ana.gate.calls(of: "refresh_token") == 1)
      #expect(ana.gate.calls(of: "fetch_friends") == 2)
    }
  }

  @Test func `a token that stays old is not renewed for ever`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      ana.gate.answer("fetch_friends", try refusal(401, code: "PGRST301"))
      await #expect(throws: NetworkError.self) { try await ana.friendsService.fetchFriends() }
      #expect(ana.gate.calls(of: "refresh_token") == 1)
    }
  }

  @Test func `a mutation whose answer is lost is repeated with the effect of one call`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      ana.gate.loseAnswer("request_friend")
      try await ana.friendsService.requestFriend(userID: ben.userID)
      #expect(ana.gate.calls(of: "request_friend") == 2)
      let asked = try await ben.friendsService.fetchFriendRequests(direction: .incoming)
      #expect(asked.map(\.profile.username) == ["ana"])
    }
  }

  @Test func `an embedded server that went away is prepared again`() async throws {
    try await TestServer.with { server in
      // given: an address that nobody answers any more, then one that does
      let folder = try TemporaryFolder()
      let prepared = Watched(0)
      let live = ServerAddress(endpoint: .url(try ServerURL(server.url)), key: server.key)
      let client = SupabaseClient(tokens: nil) {
        let count = prepared.change { count -> Int in
          count += 1
          return count
        }
        return count == 1
          ? ServerAddress(endpoint: .unixSocket(path: folder.file("gone.sock")), key: "k") : live
      }
      // when
      let session = try await AuthService(client: client).signUp(
        email: "ana@example.org", password: Samples.password, username: "ana")
      // then
      #expect(session.user.email == "ana@example.org")
      #expect(prepared.value == 2)
    }
  }

  @Test func `a server that refuses the connection is unreachable`() async throws {
    let client = SupabaseClient(tokens: nil) {
      ServerAddress(endpoint: .url(try ServerURL("http://127.0.0.1:1")), key: "k")
    }
    await #expect(throws: AuthError.network(.unreachable("connection refused"))) {
      try await AuthService(client: client).signIn(email: "a@b.example", password: "secret1")
    }
  }

  @Test func `a wrong key is said to be one`() async throws {
    try await TestServer.with { server in
      let client = SupabaseClient(tokens: nil) {
        ServerAddress(endpoint: .url(try ServerURL(server.url)), key: "wrong")
      }
      await #expect(throws: AuthError.network(.invalidKey)) {
        try await AuthService(client: client).signIn(email: "a@b.example", password: "secret1")
      }
    }
  }

  @Test func `a call that is not answered can be cancelled`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      ana.gate.hold("fetch_friends")
      let call = Task { try await ana.friendsService.fetchFriends() }
      #expect(await ana.gate.isHeld("fetch_friends"))
      call.cancel()
      ana.gate.release("fetch_friends")
      await #expect(throws: CancellationError.self) { try await call.value }
    }
  }

  @Test func `a change that comes too soon waits as it is asked to, a read does not`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      func refuse(_ part: String, seconds: Int, times: Int) {
        ana.gate.answer(
          part, HTTPAnswer(status: 429, headers: ["retry-after": "\(seconds)"]), times: times)
      }
      let waits = ana.client.waits()
      refuse("update_profile", seconds: 1, times: 1)
      let profile = try await ana.client.call(UpdateProfile(displayName: "Ana A."))
      #expect(profile.displayName == "Ana A.")
      for await wait in waits {
        #expect(wait == .seconds(1))
        break
      }
      // Nobody sits through a long one.
      refuse("update_profile", seconds: 61, times: 1)
      await #expect(throws: NetworkError.rateLimited(retryAfter: .seconds(61))) {
        _ = try await ana.client.call(UpdateProfile(displayName: "Ana B."))
      }
      refuse("fetch_friends", seconds: 1, times: 1)
      await #expect(throws: NetworkError.rateLimited(retryAfter: .seconds(1))) {
        _ = try await ana.friendsService.fetchFriends()
      }
    }
  }

  @Test(
    arguments: [
      (
        429, #"{"code":"over_request_rate_limit","message":"Slow"}"#, "7",
        NetworkError.rateLimited(retryAfter: .seconds(7))
      ),
      (503, "gateway", nil, .http(status: 503)),
      (
        422, #"{"code":"weak_password","message":"Longer"}"#, nil,
        .auth(AuthFailure(.weakPassword, "Longer"), status: 422)
      ),
      (
        400, #"{"code":400,"error_code":"invalid_credentials","msg":"No"}"#, nil,
        .auth(AuthFailure(.invalidCredentials, "No"), status: 400)
      ),
      (
        400, #"{"code":"P0001","message":"Gone","details":null,"hint":"request_gone"}"#, nil,
        .refused(FunctionFailure(.requestGone, "Gone"), status: 400)
      ),
      (401, #"{"message":"Invalid API key","hint":"x"}"#, nil, .invalidKey),
    ] as [(Int, String, String?, NetworkError)])
  func `a refusal says by its body what it is`(
    status: Int, body: String, retryAfter: String?, expected: NetworkError
  ) {
    var headers: [String: String] = [:]
    headers["retry-after"] = retryAfter
    let answer = HTTPAnswer(status: status, headers: headers, body: Data(body.utf8))
    #expect(ServerAnswers.refusal(answer) == expected)
  }

  private func refusal(_ status: Int, code: String) throws -> HTTPAnswer {
    HTTPAnswer(
      status: status,
      body: try WireJSON.encode(FunctionFailure(code: code, message: "JWT expired")))
  }
}
