import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

/// Members who join while somebody shows the others the way.
@MainActor
@Suite struct MissionsStoreLaterTests {
  private struct Trio {
    let ana: TestPerson
    let ben: TestPerson
    let cleo: TestPerson
    let mission: Mission

    /// Ana's mission, with Ben in it.
    @MainActor
    init(on server: TestServer) async throws {
      ana = try await TestPerson(signingUp: "ana", on: server)
      ben = try await TestPerson(signingUp: "ben", on: server)
      cleo = try await TestPerson(signingUp: "cleo", on: server)
      for friend in [ben, cleo] { try await befriend(ana, friend) }
      mission = try await ana.missionsService.createMission(
        CreateMission(
          title: "Lanterns", centre: Samples.lisbon, radiusMetres: 50, visibility: .friends))
      _ = try await ben.missionsService.joinMission(mission.id)
    }

    func begin(_ readers: [TestPerson]) async throws {
      try await ana.locationsService.beginOnMyWay(
        to: mission.id, readers: readers.map(\.userID))
    }

    func join() async throws { _ = try await cleo.missionsService.joinMission(mission.id) }

    @MainActor
    func store() async throws -> MissionsStore {
      let store = try await ana.makeMissionsStore()
      await store.restoreFromCache()
      await store.refreshAll(mode: .initial)
      return store
    }
  }

  @Test func `each joining is asked about once, by one of two interfaces, also after a restart`()
    async throws
  {
    try await TestServer.with { server in
      let trio = try await Trio(on: server)
      try await trio.begin([trio.ben])
      try await trio.join()
      let (first, second) = (try await trio.store(), try await trio.store())
      async let one = first.takeLaterJoiners()
      async let other = second.takeLaterJoiners()
      let asked = await one + other
      #expect(asked.flatMap(\.members).map(\.userID) == [trio.cleo.userID])
      #expect(asked.map(\.mission.id) == [trio.mission.id])
      #expect(asked.map(\.readerIDs) == [[trio.ben.userID]])
      #expect(await first.takeLaterJoiners().isEmpty)
      #expect(await (try trio.store()).takeLaterJoiners().isEmpty)
      // Who comes back joins a second time.
      _ = try await trio.cleo.missionsService.leaveMission(trio.mission.id)
      try await trio.join()
      await first.refreshAll(mode: .refresh)
      #expect(await first.takeLaterJoiners().count == 1)
    }
  }

  @Test(arguments: ["no way", "named", "earlier", "left", "ended", "arrived"])
  func `nobody is offered who sees it, did not join later, or where no way is shown`(
    _ reason: String
  ) async throws {
    try await TestServer.with { server in
      let trio = try await Trio(on: server)
      if reason == "earlier" { try await trio.join() }
      if reason != "no way" { try await trio.begin([trio.ben]) }
      if reason != "earlier" { try await trio.join() }
      let store = try await trio.store()
      #expect(store.laterJoiners.isEmpty == ["no way", "earlier"].contains(reason))
      switch reason {
      case "named": try await trio.begin([trio.ben, trio.cleo])
      case "left": _ = try await trio.cleo.missionsService.leaveMission(trio.mission.id)
      case "ended": try await trio.ana.locationsService.endOnMyWay(to: trio.mission.id)
      case "arrived":
        try await trio.ana.locationsService.publishLocations([
          LocationReport(
            coordinate: Samples.lisbon, accuracyMetres: 8, recordedAt: .now, source: "gps")
        ])
      default: break
      }
      await store.refreshAll(mode: .refresh)
      #expect(store.laterJoiners.isEmpty)
    }
  }
}
