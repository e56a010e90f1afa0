import Foundation
import NIOHTTP1
import RallyServer
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@Suite(.everyEngine, .acrossNodes) struct SessionsTests {
  private func refresh(_ token: String, on server: TestServer) async throws -> RawClient.Reply {
    try await RawClient(server).send(
      .POST, "/auth/v1/token?grant_type=refresh_token", ["refresh_token": .string(token)],
      headers: [AuthFailure.versionHeader: AuthFailure.version])
  }

  /// Exchanges a token and gives its successor.
  private func next(_ token: String, on server: TestServer) async throws -> String {
    try await refresh(token, on: server).decoded(AuthSession.self).refreshToken
  }

  @Test func `a refresh gives a new pair for the same session`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let reply = try await refresh(ana.session.refreshToken, on: server)
      #expect(reply.status == 200)
      let session = try reply.decoded(AuthSession.self)
      #expect(session.refreshToken != ana.session.refreshToken)
      #expect(session.user.id == ana.id)
      let user = try await RawClient(server, token: session.accessToken).send(
        .GET, "/auth/v1/user")
      #expect(user.status == 200)
    }
  }

  @Test func `the parent of the active token yields the active one at any time`() async throws {
    try await TestServer.with(configure: { $0.refreshReuseInterval = .zero }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let active = try await next(ana.session.refreshToken, on: server)
      #expect(try await next(ana.session.refreshToken, on: server) == active)
      #expect(try await next(ana.session.refreshToken, on: server) == active)
    }
  }

  @Test func `an older token within the interval yields the active one`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let second = try await next(ana.session.refreshToken, on: server)
      let third = try await next(second, on: server)
      #expect(try await next(ana.session.refreshToken, on: server) == third)
    }
  }

  @Test func `an older token past the interval ends the whole session`() async throws {
    try await TestServer.with(configure: { $0.refreshReuseInterval = .zero }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let second = try await next(ana.session.refreshToken, on: server)
      let third = try await next(second, on: server)

      let stolen = try await refresh(ana.session.refreshToken, on: server)
      #expect(stolen.status == 400)
      #expect(
        stolen.json == [
          "code": "refresh_token_already_used", "message": "Invalid Refresh Token: Already Used",
        ])
      let family = try await refresh(third, on: server)
      #expect(family.json["code"] == "refresh_token_not_found")
      #expect(try await ana.client.send(.GET, "/auth/v1/user").status == 403)
    }
  }

  @Test func `many refreshes at once agree on one successor`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let tokens = try await withThrowingTaskGroup(of: String.self) { tasks in
        for _ in 0..<10 {
          tasks.addTask { try await next(ana.session.refreshToken, on: server) }
        }
        return try await tasks.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(tokens.count == 1)
    }
  }

  @Test func `malformed and foreign tokens are told apart from used ones`() async throws {
    try await TestServer.with { server in
      let malformed = try await refresh("short", on: server)
      #expect(malformed.status == 400)
      #expect(
        malformed.json == [
          "code": "validation_failed", "message": "Refresh token is not valid",
        ])
      let foreign = try await refresh(String(repeating: "a", count: 54), on: server)
      #expect(foreign.status == 400)
      #expect(foreign.json["code"] == "refresh_token_not_found")
    }
  }

  @Test(arguments: [LogoutScope.local, .global, .others])
  func `signing out ends the sessions of its scope`(_ scope: LogoutScope) async throws {
    try await TestServer.with { server in
      let here = try await Person.signUp("ana", on: server)
      let there = try await RawClient(server).send(
        .POST, "/auth/v1/token?grant_type=password",
        ["email": "ana@example.org", "password": .string(Person.password)]
      ).decoded(AuthSession.self)

      let reply = try await here.client.send(
        .POST, "/auth/v1/logout?scope=\(scope.rawValue)")
      #expect(reply.status == 204)
      #expect(reply.body.isEmpty)

      let mine = try await here.client.send(.GET, "/auth/v1/user").status
      let other = try await RawClient(server, token: there.accessToken).send(
        .GET, "/auth/v1/user"
      ).status
      #expect(mine == (scope == .others ? 200 : 403))
      #expect(other == (scope == .local ? 200 : 403))
    }
  }

  @Test func `after signing out functions and refreshes are refused`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      _ = try await ana.client.send(.POST, "/auth/v1/logout")
      let rest = try await ana.client.call(FetchFriends())
      #expect(rest.status == 401)
      #expect(rest.json["code"] == "PGRST301")
      let token = try await refresh(ana.session.refreshToken, on: server)
      #expect(token.json["code"] == "refresh_token_not_found")
      let again = try await ana.client.send(
        .POST, "/auth/v1/logout",
        headers: [AuthFailure.versionHeader: AuthFailure.version])
      #expect(again.status == 403)
      #expect(again.json["code"] == "session_not_found")
    }
  }
}
