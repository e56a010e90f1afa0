import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

/// What missions tell of somebody in a zone of theirs.
@MainActor
@Suite struct MissionsStorePrivacyTests {
  private struct Game {
    let ana: TestPerson
    let mission: Mission
    let rules: PrivacyRulesService
    let store: MissionsStore

    @MainActor
    init(on server: TestServer) async throws {
      ana = try await TestPerson(signingUp: "ana", on: server)
      mission = try await ana.makeMission()
      let provider = ana.makeCurrentLocationProvider()
      try await provider.setManual(Samples.lisbon, accuracyMetres: 10)
      rules = ana.makePrivacyRulesService()
      store = ana.makeMissionsStore(currentLocationProvider: provider, privacyRules: rules)
    }

    @MainActor
    func addZone(_ allows: PrivacyZone.Allowance) async throws {
      _ = try await rules.addZone(
        "home", around: Samples.lisbon, accuracyMetres: 10, distance: 300, allows: allows)
    }

    func searches() throws -> [FetchMissions] {
      try ana.gate.bodies(of: "fetch_missions")
        .map { try WireJSON.decode(FetchMissions.self, from: $0) }.filter { $0.scope == .nearby }
    }
  }

  @Test(arguments: PrivacyZone.Allowance.allCases)
  func `a check-in in a zone is refused here, by its name`(allows: PrivacyZone.Allowance)
    async throws
  {
    try await TestServer.with { server in
      let game = try await Game(on: server)
      try await game.addZone(allows)
      await game.store.refreshAll(mode: .initial)
      await game.store.checkIn(game.mission.objectives[0].id, of: game.mission.id)
      #expect(game.ana.gate.calls(of: "check_in") == 0)
      let pending = try #require(game.store.pendingCheckIns.first)
      guard case .refused(let sentence) = pending.status else {
        Issue.record("\(pending.status)")
        return
      }
      #expect(sentence.contains("your zone home") && sentence.contains(":zone off home"))
      // As it says.
      _ = try await game.rules.removeZone("home")
      await game.store.retry(pending.id)
      #expect(game.ana.gate.calls(of: "check_in") == 1)
      #expect(game.store.pendingCheckIns.isEmpty)
    }
  }

  @Test func `a check-in that waits for the network does not leave a zone that was made meanwhile`()
    async throws
  {
    try await TestServer.with { server in
      let game = try await Game(on: server)
      await game.store.refreshAll(mode: .initial)
      game.ana.gate.goOffline()
      await game.store.checkIn(game.mission.objectives[0].id, of: game.mission.id)
      #expect(game.store.pendingCheckIns.map(\.status) == [.queued])
      let sent = game.ana.gate.calls(of: "check_in")
      try await game.addZone(.nothing)
      game.ana.gate.goOffline(false)
      await game.store.refreshAll(mode: .refresh)
      #expect(
        await eventually {
          if case .refused? = game.store.pendingCheckIns.first?.status { true } else { false }
        })
      #expect(game.ana.gate.calls(of: "check_in") == sent)
    }
  }

  @Test func `missions nearby are asked for around the city's cell, or not at all`() async throws {
    try await TestServer.with { server in
      let game = try await Game(on: server)
      await game.store.refreshAll(mode: .initial)
      func centre(_ level: GridLevel) -> Coordinate {
        GridCell(containing: Samples.lisbon, level: level).center
      }
      func places() throws -> [Coordinate?] {
        try game.searches().map { call in
          guard let latitude = call.latitude, let longitude = call.longitude else { return nil }
          return Coordinate(latitude: latitude, longitude: longitude)
        }
      }
      #expect(try places() == [centre(.oneKilometre)])
      try await game.addZone(.city)
      await game.store.refreshAll(mode: .refresh)
      #expect(try places() == [centre(.oneKilometre), centre(.tenKilometres)])
      #expect(game.store.nearby.count == 1)
      try await game.addZone(.nothing)
      await game.store.refreshAll(mode: .refresh)
      #expect(try places().count == 2)
      #expect(game.store.nearbyState == .heldBack && game.store.nearby.isEmpty)
    }
  }
}
