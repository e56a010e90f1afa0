import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

/// Live missions, at whose start the members are asked whether they show the way.
@MainActor
@Suite struct MissionsStoreLiveTests {
  private struct Pair {
    let ana: TestPerson
    let ben: TestPerson
    let mission: Mission

    @MainActor
    init(on server: TestServer, startsAt: WireTime? = nil, isLive: Bool = true) async throws {
      ana = try await TestPerson(signingUp: "ana", on: server)
      ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben)
      var call = CreateMission(
        title: "Lanterns", centre: Samples.lisbon, radiusMetres: 50, startsAt: startsAt,
        visibility: .friends)
      call.isLive = isLive
      mission = try await ana.missionsService.createMission(call)
      _ = try await ben.missionsService.joinMission(mission.id)
    }

    @MainActor
    func store(now: @escaping () -> WireTime = { .now }) async throws -> MissionsStore {
      let store = try await ben.makeMissionsStore(now: now)
      await store.restoreFromCache()
      await store.refreshAll(mode: .initial)
      return store
    }
  }

  @Test func `each start is asked about once, by one of two interfaces, also after a restart`()
    async throws
  {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let (first, second) = (try await pair.store(), try await pair.store())
      async let one = first.takeStartedLive()
      async let other = second.takeStartedLive()
      #expect(await (one + other).map(\.id) == [pair.mission.id])
      await first.refreshAll(mode: .refresh)
      #expect(await first.takeStartedLive().isEmpty)
      let third = try await pair.store()
      #expect(third.liveMissions.map(\.id) == [pair.mission.id])
      #expect(await third.takeStartedLive().isEmpty)
    }
  }

  @Test func `nobody is asked before the start, and the start itself asks`() async throws {
    try await TestServer.with { server in
      let start = WireTime.now.advanced(by: .seconds(3600))
      let pair = try await Pair(on: server, startsAt: start)
      // One deadline for the start, by the clock of the wall.
      final class Clock { var now = WireTime.now }
      let clock = Clock()
      let store = try await pair.store { clock.now }
      #expect(store.liveMissions.isEmpty)
      clock.now = start.advanced(by: .seconds(1))
      await store.refreshAll(mode: .refresh)
      #expect(store.liveMissions.map(\.id) == [pair.mission.id])
    }
  }

  @Test func `who is there already is not asked, also not once they leave`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let store = try await pair.store()
      try await store.currentLocationProvider.setManual(pair.mission.centre)
      #expect(store.liveMissions.map(\.id) == [pair.mission.id])
      #expect(await store.takeStartedLive().isEmpty)
      try await store.currentLocationProvider.setManual(Samples.porto)
      #expect(await store.takeStartedLive().isEmpty)
    }
  }

  @Test(arguments: ["not live", "on the way", "alone", "left"])
  func `who has nothing to say is not asked`(_ reason: String) async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server, isLive: reason != "not live")
      switch reason {
      case "on the way":
        try await pair.ben.locationsService.beginOnMyWay(
          to: pair.mission.id, readers: [pair.ana.userID])
      case "left": _ = try await pair.ben.missionsService.leaveMission(pair.mission.id)
      case "alone":
        let store = try await pair.ana.makeMissionsStore()
        await store.refreshAll(mode: .initial)
        #expect(store.liveMissions.count == 1)
        _ = try await pair.ben.missionsService.leaveMission(pair.mission.id)
        await store.refreshAll(mode: .refresh)
        #expect(store.liveMissions.isEmpty)
      default: break
      }
      #expect(try await pair.store().liveMissions.isEmpty)
    }
  }
}
