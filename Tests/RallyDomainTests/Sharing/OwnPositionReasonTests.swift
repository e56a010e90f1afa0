import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

/// Why a person does not see me: each reason from the real server and this client.
@Suite struct OwnPositionReasonTests {
  private func friends(
    _ body: (TestServer, TestPerson, TestPerson) async throws -> Void
  ) async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben)
      try await body(server, ana, ben)
    }
  }

  private func seen(
    _ ana: TestPerson, by name: String = "ben", at now: WireTime = .now
  ) async throws -> Result<LocationRecord, WithheldReason> {
    try await ana.locationsService.fetchOwnPosition(
      seenBy: Username(name), isGhostPending: ana.ghostService.isPending(), at: now)
  }

  private func publish(_ ana: TestPerson, at time: WireTime = .now) async throws {
    try await ana.locationsService.publishLocations([
      LocationReport(coordinate: Samples.lisbon, recordedAt: time, source: "manual")
    ])
  }

  @Test func `off and no report come from the server, and a visible position has no reason`()
    async throws
  {
    try await friends { _, ana, ben in
      #expect(try await seen(ana) == .failure(.off))
      try await ana.locationsService.setLocationSharing(userID: ben.userID, mode: .precise)
      #expect(try await seen(ana) == .failure(.noReport))
      try await publish(ana)
      let fetched = try await ben.locationsService.fetchFriendLocations()
      #expect(try await [seen(ana)] == fetched.map { .success($0) })
    }
  }

  @Test func `a share that ended is called expired`() async throws {
    try await friends { _, ana, ben in
      try await ana.locationsService.setLocationSharing(
        userID: ben.userID, mode: .precise, until: .now.advanced(by: .seconds(3)))
      #expect(await eventually { (try? await seen(ana)) == .failure(.expired) })
    }
  }

  @Test func `a ghost is the reason as soon as nothing is seen, and not before`() async throws {
    try await friends { _, ana, ben in
      try await ana.locationsService.setLocationSharing(userID: nil, mode: .precise)
      try await ana.ghostService.begin()
      #expect(try await seen(ana) == .failure(.ghost))
      try await publish(ana)
      #expect(try await seen(ana).get().precision == .precise)
      _ = try await ana.ghostService.complete()
      #expect(try await seen(ana) == .failure(.ghost))
    }
  }

  @Test func `a position that maps no longer show is stale`() async throws {
    try await friends { _, ana, ben in
      try await ana.locationsService.setLocationSharing(userID: ben.userID, mode: .precise)
      let time = WireTime.now.advanced(by: .seconds(-25 * 3600))
      try await publish(ana, at: time)
      #expect(try await seen(ana) == .failure(.stale))
      #expect(try await seen(ana, at: time).get().recordedAt == time)
    }
  }

  @Test func `a person whom I blocked is called blocked`() async throws {
    try await friends { _, ana, ben in
      try await ana.friendsService.blockUser(userID: ben.userID)
      #expect(try await seen(ana) == .failure(.blocked))
    }
  }

  @Test func `who blocked me is no friend, as a stranger and a name that nobody has`()
    async throws
  {
    try await friends { server, ana, ben in
      _ = try await TestPerson(signingUp: "cleo", on: server)
      try await ben.friendsService.blockUser(userID: ana.userID)
      for name in ["ben", "cleo", "nobody"] {
        #expect(try await seen(ana, by: name) == .failure(.notFriend), "\(name)")
      }
    }
  }
}
