import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

@Suite struct GhostServiceTests {
  private func modes(_ person: TestPerson) async throws -> [String: SharingMode] {
    try await person.locationsService.fetchLocationSharing()
      .reduce(into: [:]) { $0[$1.username ?? "default"] = $1.mode }
  }

  @Test func `everything goes at once, and all of it comes back`() async throws {
    try await TestServer.with { server in
      // given
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let friends = try await ["ben", "cleo", "dora"].asyncMap {
        try await TestPerson(signingUp: $0, on: server)
      }
      for friend in friends { try await befriend(ana, friend) }
      let service = ana.locationsService
      let end = WireTime.now.advanced(by: .seconds(3600))
      try await service.setLocationSharing(userID: nil, mode: .approximate10km)
      try await service.setLocationSharing(userID: friends[0].userID, mode: .precise)
      try await service.setLocationSharing(
        userID: friends[1].userID, mode: .approximate1km, until: end)
      try await service.publishLocations([
        LocationReport(coordinate: Samples.lisbon, recordedAt: .now, source: "manual")
      ])
      let before = try await service.fetchLocationSharing()
      // when
      try await ana.ghostService.begin()
      #expect(await ana.ghostService.phase() == .pending)
      let rows = try await ana.ghostService.complete()
      // then: a share with an end keeps it, so that the default holds again after it
      #expect(rows.first { $0.username == "cleo" }?.until == end)
      #expect(await ana.ghostService.phase() == .gone)
      #expect(Set(try await modes(ana).values) == [.off])
      for friend in friends {
        #expect(try await friend.locationsService.fetchFriendLocations().isEmpty)
      }
      try await ana.ghostService.end()
      #expect(await ana.ghostService.phase() == nil)
      let after = try await service.fetchLocationSharing()
      #expect(after.map(\.mode) == before.map(\.mode))
      #expect(after.map(\.until) == before.map(\.until))
      #expect(after.map(\.isDefault) == before.map(\.isDefault))
      // The server forgot the position, so it is nowhere until it is sent again.
      #expect(after.allSatisfy { $0.location == nil })
    }
  }

  @Test func `what was interrupted half-way still comes back whole`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben)
      try await ana.locationsService.setLocationSharing(userID: nil, mode: .approximate10km)
      try await ana.locationsService.setLocationSharing(userID: ben.userID, mode: .precise)
      // given: the first of two is taken away, then the network goes
      ana.gate.fail("set_location_sharing", with: .unreachable("gone"), times: 1)
      try await ana.ghostService.begin()
      await #expect(throws: NetworkError.self) { try await ana.ghostService.complete() }
      #expect(await ana.ghostService.phase() == .pending)
      #expect(try await modes(ana).values.contains { $0 > .off })
      // when: the next run finishes it
      let next = GhostService(
        authService: ana.authService, locationsService: ana.locationsService,
        persistenceService: ana.statePersistence)
      _ = try await next.complete()
      #expect(Set(try await modes(ana).values) == [.off])
      // then
      try await next.end()
      #expect(try await modes(ana) == ["default": .approximate10km, "ben": .precise])
    }
  }

  @Test func `coming back does not restore what has run out, nor friends who left`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      let cleo = try await TestPerson(signingUp: "cleo", on: server)
      for friend in [ben, cleo] { try await befriend(ana, friend) }
      let end = WireTime.now.advanced(by: .seconds(3600))
      try await ana.locationsService.setLocationSharing(
        userID: ben.userID, mode: .precise, until: end)
      try await ana.locationsService.setLocationSharing(userID: cleo.userID, mode: .precise)
      try await ana.ghostService.begin()
      _ = try await ana.ghostService.complete()
      try await ana.friendsService.removeFriend(userID: cleo.userID)
      let late = GhostService(
        authService: ana.authService, locationsService: ana.locationsService,
        persistenceService: ana.statePersistence, now: { end })
      try await late.end()
      #expect(try await modes(ana) == ["default": .off, "ben": .off])
      #expect(await late.phase() == nil)
    }
  }

  @Test func `signing out forgets what was shared, but no ghost that is pending`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      try await ana.ghostService.begin()
      try await ana.ghostService.signedOut(userID: ana.userID)
      #expect(await ana.ghostService.phase() == .pending)
      _ = try await ana.ghostService.complete()
      try await ana.ghostService.signedOut(userID: ana.userID)
      #expect(await ana.ghostService.phase() == nil)
    }
  }
}

extension Array {
  fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
    var mapped: [T] = []
    for element in self { mapped.append(try await transform(element)) }
    return mapped
  }
}
