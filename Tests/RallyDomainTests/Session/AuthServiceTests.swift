import Foundation
import RallySystem
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain

@Suite struct AuthServiceTests {
  @Test func `signing up signs in, and a restart finds the session without a network`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let restarted = SupabaseClient(
        tokens: TokenStore(folder: ana.folder.file("state"), server: server.url),
        transport: TransportGate(over: nil).transport,
        prepare: { throw NetworkError.unreachable("no network") })
      let authService = AuthService(client: restarted)
      #expect(await authService.restoreSession()?.user.id == ana.userID)
      #expect(await authService.currentUserID == ana.userID)
    }
  }

  @Test func `a server on this machine that does not start is told in its own words`() async {
    let problem = EmbeddedServerError.notStarted("no such file or directory")
    let authService = AuthService(
      client: SupabaseClient(
        tokens: nil, transport: TransportGate(over: nil).transport, prepare: { throw problem }))
    let error = await #expect(throws: AuthError.self) {
      try await authService.signIn(email: "ana@rally.local", password: Samples.password)
    }
    #expect(error?.sentence == problem.sentence)
    #expect(error?.logDetail == problem.logDetail)
  }

  @Test func `wrong password and unknown address are the same refusal`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      await #expect(throws: AuthError.invalidCredentials) {
        try await ana.authService.signIn(email: "ana@example.org", password: "wrong password")
      }
      await #expect(throws: AuthError.invalidCredentials) {
        try await ana.authService.signIn(email: "who@example.org", password: Samples.password)
      }
    }
  }

  @Test func `what is taken or cannot be is said on its field`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      func field(_ email: String, _ username: String, _ password: String) async
        -> FieldProblem.Field?
      {
        do {
          try await ana.authService.signUp(
            email: email, password: password, username: username)
          return nil
        } catch {
          return error.field
        }
      }
      #expect(await field("ana@example.org", "other", Samples.password) == .email)
      #expect(await field("other@example.org", "Ana", Samples.password) == .username)
      #expect(await field("other", "other", Samples.password) == .email)
      #expect(await field("other@example.org", "no spaces", Samples.password) == .username)
      #expect(await field("other@example.org", "other", "123") == .password)
    }
  }

  @Test func `signing out ends the session on the server too`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let session = try #require(await ana.authService.currentSession)
      let events = ana.authService.sessionEvents()
      try await ana.authService.signOut()
      #expect(await ana.authService.currentUserID == nil)
      #expect(await events.first { _ in true } == .ended(.signedOut))
      let address = ServerAddress(endpoint: .url(try ServerURL(server.url)), key: server.key)
      let thief = SupabaseClient(
        tokens: try store(of: session), prepare: { address })
      await #expect(throws: (any Error).self) {
        try await FriendsService(client: thief).fetchFriends()
      }
    }
  }

  @Test func `signing out ends the session on the server although its token is too old`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let session = try #require(await ana.authService.currentSession)
      ana.gate.answer(
        "logout",
        HTTPAnswer(
          status: 403, body: try WireJSON.encode(AuthFailure(.badJWT, "token is expired"))),
        times: 1)
      #expect(try await ana.authService.signOut())
      #expect(ana.gate.calls(of: "refresh_token") == 1 && ana.gate.calls(of: "logout") == 2)
      await #expect(throws: NetworkError.signedOut) { try await renewed(session, on: server) }
    }
  }

  @Test func `a session whose token has run out is renewed first to be ended`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let session = try #require(await ana.authService.currentSession)
      let client = try client(of: session, on: server) { .now.advanced(by: .seconds(7200)) }
      #expect(try await AuthService(client: client).signOut())
      await #expect(throws: NetworkError.signedOut) { try await renewed(session, on: server) }
    }
  }

  @Test func `signing out works offline, and says that the server still knows the session`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      ana.gate.goOffline()
      #expect(try await !ana.authService.signOut())
      #expect(await ana.authService.currentUserID == nil)
      #expect(ana.folder.contents.filter { $0.hasSuffix(".json") && $0.contains("sessions") } == [])
      await #expect(throws: NetworkError.signedOut) {
        try await ana.friendsService.fetchFriends()
      }
    }
  }

  /// Uses the session after its access token has run out.
  private func renewed(_ session: AuthSession, on server: TestServer) async throws {
    let client = try client(of: session, on: server) { .now.advanced(by: .seconds(7200)) }
    _ = try await FriendsService(client: client).fetchFriends()
  }

  private func client(
    of session: AuthSession, on server: TestServer,
    now: @escaping @Sendable () -> WireTime
  ) throws -> SupabaseClient {
    let address = ServerAddress(endpoint: .url(try ServerURL(server.url)), key: server.key)
    return SupabaseClient(tokens: try store(of: session), now: now) { address }
  }

  @Test func `signing in as somebody else is an account change`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      let events = ana.authService.sessionEvents()
      try await ana.authService.signIn(
        email: "BEN@example.org ", password: Samples.password)
      #expect(await events.first { _ in true } == .accountChanged(ben.userID))
    }
  }

  private func store(of session: AuthSession) throws -> TokenStore {
    let folder = try TemporaryFolder()
    let store = TokenStore(folder: folder.path, server: "thief")
    try store.save(session)
    return store
  }
}
