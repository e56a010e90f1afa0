import FoundationEssentials
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

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
      #expect(await ana.ghostService.isPending())
      let rows = try await ana.ghostService.complete()
      // then: what is shared stays as it is
      #expect(rows.isGhost && rows.map(\.mode) == before.map(\.mode))
      #expect(await !ana.ghostService.isPending())
      #expect(await ana.ghostService.phase(by: rows) == .gone)
      #expect(SharingTable(rows).summary(at: .now).sharedCount == 0)
      for friend in friends {
        #expect(try await friend.locationsService.fetchFriendLocations().isEmpty)
      }
      try await ana.ghostService.end()
      let after = try await service.fetchLocationSharing()
      #expect(!after.isGhost)
      #expect(after.map(\.mode) == before.map(\.mode))
      #expect(after.map(\.until) == before.map(\.until))
      #expect(after.map(\.isDefault) == before.map(\.isDefault))
      // The server forgot the position, so it is nowhere until it is sent again.
      #expect(after.allSatisfy { $0.location == nil })
    }
  }

  @Test func `a wish that did not reach the server is finished by the next run`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      try await ana.locationsService.setLocationSharing(userID: nil, mode: .approximate10km)
      ana.gate.fail("set_ghost", with: .unreachable("gone"), times: 1)
      try await ana.ghostService.begin()
      await #expect(throws: NetworkError.self) { try await ana.ghostService.complete() }
      #expect(await ana.ghostService.isPending())
      let next = GhostService(
        authService: ana.authService, locationsService: ana.locationsService,
        persistenceService: ana.statePersistence)
      #expect(try await next.complete().isGhost)
      #expect(await !next.isPending())
    }
  }

  @Test func `where nothing can be written the server hides all the same`() async throws {
    try await TestServer.with { server in
      let folder = try TemporaryFolder()
      // A file in place of the folder: nobody can write below it.
      try "".write(toFile: folder.file("full"), atomically: true, encoding: .utf8)
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let service = GhostService(
        authService: ana.authService, locationsService: ana.locationsService,
        persistenceService: PersistenceService(folder: folder.file("full/location")))
      await #expect(throws: (any Error).self) { try await service.begin() }
      #expect(try await service.complete().isGhost)
      try await service.end()
      #expect(try await !ana.locationsService.fetchLocationSharing().isGhost)
    }
  }

  @Test func `what an earlier version turned off and kept is given back by the server`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben)
      struct Former: Codable, Sendable {
        struct Entry: Codable, Sendable {
          var userID: UUID?
          var setting: SharingSetting
        }
        var phase = GhostPhase.gone
        var isReturning = false
        var former: [Entry]
      }
      let kept = Former(former: [
        .init(userID: nil, setting: SharingSetting(.approximate10km)),
        .init(userID: ben.userID, setting: SharingSetting(.precise)),
        .init(userID: UUID(), setting: SharingSetting(.precise)),
      ])
      try await ana.statePersistence.save(kept, withKey: "ghost-\(ana.userID.wireText)")
      #expect(await ana.ghostService.isPending())
      #expect(try await ana.ghostService.complete().isGhost)
      #expect(await !ana.ghostService.isPending())
      try await ana.ghostService.end()
      #expect(try await modes(ana) == ["default": .approximate10km, "ben": .precise])
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
