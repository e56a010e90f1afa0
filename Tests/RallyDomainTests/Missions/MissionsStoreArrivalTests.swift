import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

/// Arrivals at missions, as they are told on one machine.
@MainActor
@Suite struct MissionsStoreArrivalTests {
  /// Ben shows Ana the way to a mission, and is there.
  private func arrive(_ ben: TestPerson, at mission: Mission, shownTo ana: TestPerson) async throws
  {
    try await ben.locationsService.beginOnMyWay(to: mission.id, readers: [ana.userID])
    try await ben.locationsService.publishLocations([
      LocationReport(
        coordinate: Samples.lisbon, accuracyMetres: 8, recordedAt: .now, source: "gps")
    ])
  }

  private func store(of person: TestPerson) async throws -> MissionsStore {
    let store = try await person.makeMissionsStore()
    await store.restoreFromCache()
    await store.refreshAll(mode: .initial)
    return store
  }

  @Test func `each is told once, by one of two interfaces, and not again after a restart`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben)
      let mission = try await ana.makeMission()
      _ = try await ben.missionsService.joinMission(mission.id)
      let first = try await store(of: ana)
      let second = try await store(of: ana)
      await first.saveState()
      #expect(await first.takeArrivals().isEmpty)

      try await arrive(ben, at: mission, shownTo: ana)
      await first.refreshAll(mode: .refresh)
      await second.refreshAll(mode: .refresh)
      #expect(second.arrivals.map(\.userID) == [ben.userID])
      async let one = first.takeArrivals()
      async let other = second.takeArrivals()
      #expect(await (one + other).map(\.userID) == [ben.userID])
      await first.refreshAll(mode: .refresh)
      #expect(await first.takeArrivals().isEmpty)
      let third = try await store(of: ana)
      #expect(third.arrivals.map(\.userID) == [ben.userID])
      #expect(await third.takeArrivals().isEmpty)

      // Who leaves and comes back arrives a second time.
      try await arrive(ben, at: mission, shownTo: ana)
      await third.refreshAll(mode: .refresh)
      #expect(await third.takeArrivals().map(\.userID) == [ben.userID])

      // What happened while no program was open is told by the next one.
      try await arrive(ben, at: mission, shownTo: ana)
      #expect(try await store(of: ana).takeArrivals().map(\.userID) == [ben.userID])
    }
  }

  @Test func `one from before the first start on this machine is not told`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben)
      let mission = try await ana.makeMission()
      _ = try await ben.missionsService.joinMission(mission.id)
      try await arrive(ben, at: mission, shownTo: ana)
      let store = try await store(of: ana)
      #expect(store.coming.map(\.userID) == [ben.userID])
      #expect(await store.takeArrivals().isEmpty)
    }
  }

  @Test func `of more than is remembered, what was told the longest ago is dropped`() {
    var told = AnnouncedKeys()
    for number in 0...AnnouncedKeys.limit {
      let time = Samples.time.advanced(by: .seconds(number))
      let news = told.take(["\(number)"], at: time)
      #expect(news == ["\(number)"])
    }
    #expect(!told.contains("0") && told.contains("1"))
    #expect(told.take(["1", "next"], at: Samples.time) == ["next"])
  }
}
