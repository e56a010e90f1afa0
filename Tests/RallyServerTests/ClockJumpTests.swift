import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Synchronization
import Testing

@testable import RallyRules
@testable import RallyServer

/// A server whose wall clock is set while it runs.
@Suite(.everyEngine) struct ClockJumpTests {
  /// The wall clock, ahead or behind by a number of seconds.
  private final class Clock: Sendable {
    private let shift = Mutex(Duration.zero)

    var now: WireTime { .now.advanced(by: shift.withLock { $0 }) }

    func jump(by duration: Duration) { shift.withLock { $0 += duration } }
  }

  private static let jumps = [-5.0, -0.5, 0.5, 5].map { Duration.seconds($0 * 3600) }

  private func withServer(
    configure: @escaping (inout ServerConfiguration) -> Void = { _ in },
    _ body: (TestServer, Clock) async throws -> Void
  ) async throws {
    let clock = Clock()
    try await TestServer.with(configure: {
      $0.now = { clock.now }
      configure(&$0)
    }) { try await body($0, clock) }
  }

  private func refresh(_ token: String, on server: TestServer) async throws -> RawClient.Reply {
    try await RawClient(server).send(
      .POST, "/auth/v1/token?grant_type=refresh_token", ["refresh_token": .string(token)])
  }

  @Test(arguments: jumps)
  func `a refresh token of two generations ago stays refused`(jump: Duration) async throws {
    try await withServer { server, clock in
      let ana = try await Person.signUp("ana", on: server)
      let second = try await refresh(ana.session.refreshToken, on: server)
      let third = try await refresh(
        second.decoded(AuthSession.self).refreshToken, on: server)
      #expect(third.status == 200)
      clock.jump(by: jump)
      let stolen = try await refresh(ana.session.refreshToken, on: server)
      #expect(stolen.json["error_code"] == "refresh_token_already_used")
    }
  }

  @Test(arguments: jumps)
  func `a sign-in before the jump is not a recent one`(jump: Duration) async throws {
    try await withServer { server, clock in
      let ana = try await Person.signUp("ana", on: server)
      clock.jump(by: jump)
      let refused = try await ana.client.send(
        .PUT, "/auth/v1/user", ["password": "another horse"])
      #expect(refused.json["error_code"] == "reauthentication_needed")
    }
  }

  @Test(arguments: jumps)
  func `a sign-up before the jump is not repeated`(jump: Duration) async throws {
    try await withServer { server, clock in
      _ = try await Person.signUp("ana", on: server)
      clock.jump(by: jump)
      let again = try await RawClient(server).send(
        .POST, "/auth/v1/signup",
        [
          "email": "ana@example.org", "password": .string(Person.password),
          "data": ["username": "ana", "display_name": "Ana"],
        ])
      #expect(again.json["error_code"] == "user_already_exists")
    }
  }

  @Test(arguments: jumps)
  func `budgets neither fill up nor stay empty by a jump`(jump: Duration) async throws {
    try await withServer(configure: { $0.budgets[.missionsPerMinute] = 3 }) { server, clock in
      let ana = try await Person.signUp("ana", on: server)
      func mission(_ title: String) -> CreateMission {
        CreateMission(
          title: title, centre: .lisbon, radiusMetres: 100,
          endsAt: WireTime.now.advanced(by: .seconds(86_400)))
      }
      let before = try await ana.client.call(mission("One"))
      #expect(before.status == 200)
      clock.jump(by: jump)
      let refused = try await ana.client.call(mission("Two"))
      #expect(refused.status == 429)
      let wait = refused.headers.first(name: "Retry-After").flatMap(Int.init)
      #expect((1...60).contains(wait ?? 0))
    }
  }

  @Test(arguments: jumps)
  func `a question to a friend can be asked again after a jump`(jump: Duration) async throws {
    try await withServer { server, clock in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      try await ana.befriend(ben)
      _ = try await ana.result(of: AskLocation(userID: ben.id))
      clock.jump(by: jump)
      // It does not wait for hours after the clock was put back.
      #expect(try await ben.result(of: FetchLocationAsks()).isEmpty)
      _ = try await ana.result(of: AskLocation(userID: ben.id))
      let asked = try await ben.result(of: FetchLocationAsks()).first?.askedAt
      #expect(abs((asked ?? .now.advanced(by: .seconds(-86_400))).since(clock.now)) < .seconds(60))
    }
  }
}

private func abs(_ duration: Duration) -> Duration {
  duration < .zero ? .zero - duration : duration
}
