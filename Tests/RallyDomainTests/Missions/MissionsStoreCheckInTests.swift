import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct MissionsStoreCheckInTests {
  private static let offline = NetworkError.unreachable("network is unreachable")

  /// Ana at a mission of hers in Lisbon, with its lists fetched.
  private struct Game {
    let ana: TestPerson
    let mission: Mission
    let provider: CurrentLocationProvider
    let store: MissionsStore

    @MainActor
    init(on server: TestServer, now: @escaping () -> WireTime = { .now }) async throws {
      ana = try await TestPerson(signingUp: "ana", on: server)
      mission = try await ana.makeMission()
      provider = ana.makeCurrentLocationProvider()
      try await provider.setManual(Samples.lisbon, accuracyMetres: 10)
      store = ana.makeMissionsStore(currentLocationProvider: provider, now: now)
      await store.refreshAll(mode: .initial)
    }

    var door: UUID { mission.objectives[0].id }
    var cat: UUID { mission.objectives[1].id }

    @MainActor
    func restarted(now: @escaping () -> WireTime = { .now }) -> MissionsStore {
      ana.makeMissionsStore(currentLocationProvider: provider, now: now)
    }

    /// What stands in the private folder, as text.
    func kept() throws -> [String] {
      let folder = ana.folder.file("location")
      return try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.hasPrefix("check-ins") }
        .map { name in
          let path = "\(folder)/\(name)"
          let attributes = try FileManager.default.attributesOfItem(atPath: path)
          #expect(attributes[.posixPermissions] as? Int == 0o600)
          return String(
            decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        }
    }
  }

  @Test func `a check-in shows at once as pending until the server has it`() async throws {
    try await TestServer.with { server in
      let game = try await Game(on: server)
      game.ana.gate.hold("check_in")
      let checking = Task { await game.store.checkIn(game.door, of: game.mission.id) }
      #expect(await eventually { game.store.pendingCheckIns.map(\.status) == [.sending] })
      #expect(game.store.pendingCheckIns.first?.objectiveTitle == "Blue door")
      #expect(await game.ana.gate.isHeld("check_in"))
      // It is written down before it is sent, and a second press adds nothing.
      #expect(try game.kept().count == 1)
      let second = Task { await game.store.checkIn(game.door, of: game.mission.id) }
      await second.value
      #expect(game.store.pendingCheckIns.count == 1)
      game.ana.gate.release("check_in")
      await checking.value
      #expect(game.store.pendingCheckIns.isEmpty)
      #expect(game.store.mission(game.mission.id)?.objectives.map(\.checkIns) == [1, 0])
      #expect(try game.kept().isEmpty)
    }
  }

  @Test func `the last objective completes the mission here too`() async throws {
    try await TestServer.with { server in
      let game = try await Game(on: server)
      await game.store.checkIn(game.door, of: game.mission.id)
      await game.store.checkIn(game.cat, of: game.mission.id)
      #expect(game.store.active.isEmpty)
      #expect(game.store.done.map(\.state) == [.completed])
    }
  }

  @Test func `a refusal says why and stays until it is dropped or tried again from elsewhere`()
    async throws
  {
    try await TestServer.with { server in
      let game = try await Game(on: server)
      let away = Samples.coordinate(Samples.lisbon.latitude + 0.00216, Samples.lisbon.longitude)
      try await game.provider.setManual(away)
      await game.store.checkIn(game.door, of: game.mission.id)
      guard case .refused(let sentence)? = game.store.pendingCheckIns.first?.status else {
        Issue.record("expected a refusal, found \(game.store.pendingCheckIns)")
        return
      }
      #expect(sentence.contains("240 m"))
      // A position that proved nothing is not kept.
      #expect(try game.kept().isEmpty)
      let refused = try #require(game.store.pendingCheckIns.first)
      try await game.provider.setManual(Samples.lisbon)
      await game.store.retry(refused.id)
      #expect(game.store.pendingCheckIns.isEmpty)
      #expect(game.store.mission(game.mission.id)?.objectives.map(\.checkIns) == [1, 0])
      try await game.provider.setManual(away)
      await game.store.checkIn(game.cat, of: game.mission.id)
      let other = try #require(game.store.pendingCheckIns.first)
      await game.store.drop(other.id)
      #expect(game.store.pendingCheckIns.isEmpty)
    }
  }

  @Test func `without a position it is refused at once with what to do`() async throws {
    try await TestServer.with { server in
      let game = try await Game(on: server)
      try await game.provider.forget(userID: game.ana.userID)
      await game.store.checkIn(game.door, of: game.mission.id)
      #expect(
        game.store.pendingCheckIns.map(\.status) == [.refused(CheckInAdvice.noPosition)])
      #expect(game.ana.gate.calls(of: "check_in") == 0)
      // Once a position is known the same row goes out.
      try await game.provider.setManual(Samples.lisbon)
      await game.store.retry(try #require(game.store.pendingCheckIns.first).id)
      #expect(game.store.pendingCheckIns.isEmpty)
    }
  }

  @Test func `offline it waits in a private file, and goes out in order when the network is back`()
    async throws
  {
    try await TestServer.with { server in
      let game = try await Game(on: server)
      game.ana.gate.goOffline()
      await game.store.checkIn(game.cat, of: game.mission.id)
      await game.store.checkIn(game.door, of: game.mission.id)
      #expect(game.store.pendingCheckIns.map(\.status) == [.queued, .queued])
      let kept = try game.kept()
      #expect(kept.count == 1)
      #expect(kept.first?.contains("38.7223") == true)
      #expect(kept.first?.contains(game.cat.wireText) == true)
      // when: the program was killed, and starts with a network, elsewhere
      try await game.provider.setManual(Samples.porto)
      game.ana.gate.goOffline(false)
      let before = game.ana.gate.bodies(of: "check_in").count
      let next = game.restarted()
      await next.restoreFromCache()
      #expect(next.pendingCheckIns.map(\.objectiveTitle) == ["Stone cat", "Blue door"])
      #expect(next.pendingCheckIns.map(\.id) == game.store.pendingCheckIns.map(\.id))
      await next.refreshAll(mode: .initial)
      // then
      #expect(await eventually { next.pendingCheckIns.isEmpty })
      #expect(await eventually { next.done.map(\.state) == [.completed] })
      let sent = try game.ana.gate.bodies(of: "check_in").dropFirst(before).map {
        try WireJSON.decode(FunctionCall<CheckIn>.self, from: $0)
      }
      #expect(sent.map(\.function.objectiveID) == [game.cat, game.door])
      #expect(sent.allSatisfy { $0.function.latitude == Samples.lisbon.latitude })
      #expect(
        sent.map(\.clientID) == game.store.pendingCheckIns.map(\.id))
      #expect(await eventually { (try? game.kept().isEmpty) == true })
    }
  }

  @Test func `a lost answer counts once`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let mission = try await ana.makeMission(
        objectives: [ObjectiveInput(title: "Plant a tree", count: 20)])
      let store = try await ana.makeMissionsStore(at: Samples.lisbon)
      await store.refreshAll(mode: .initial)
      ana.gate.loseAnswer("check_in", times: 2)
      await store.checkIn(mission.objectives[0].id, of: mission.id)
      #expect(store.pendingCheckIns.map(\.status) == [.queued])
      await store.retry(try #require(store.pendingCheckIns.first).id)
      #expect(store.pendingCheckIns.isEmpty)
      #expect(store.mission(mission.id)?.objectives.map(\.checkIns) == [1])
    }
  }

  @Test func `what cannot count is said at once even offline`() async throws {
    try await TestServer.with { server in
      let game = try await Game(on: server)
      game.ana.gate.goOffline()
      try await game.provider.setManual(
        Samples.coordinate(Samples.lisbon.latitude + 0.00216, Samples.lisbon.longitude))
      await game.store.checkIn(game.door, of: game.mission.id)
      #expect(
        game.store.pendingCheckIns.map(\.status)
          == [.refused("You are 240 m away; Blue door takes 50 m.")])
      try await game.provider.setManual(Samples.lisbon, accuracyMetres: 5000)
      await game.store.checkIn(game.cat, of: game.mission.id)
      #expect(
        game.store.pendingCheckIns.last?.status
          == .refused(
            "Your position is only known to 5.0 km; a check-in takes 1.0 km or better. Say where you "
              + "are exactly, as :here 38.7223,-9.1393, or let a phone report."))
      #expect(try game.kept().isEmpty)
    }
  }

  @Test func `one that comes after the mission is late, and is never sent by itself`()
    async throws
  {
    try await TestServer.with { server in
      let game = try await Game(on: server)
      game.ana.gate.goOffline()
      await game.store.checkIn(game.door, of: game.mission.id)
      game.ana.gate.goOffline(false)
      let calls = game.ana.gate.calls(of: "check_in")
      let elsewhere = MissionsService(client: game.ana.client)
      _ = try await elsewhere.cancelMission(game.mission.id)
      let next = game.restarted()
      await next.restoreFromCache()
      await next.refreshAll(mode: .initial)
      #expect(await eventually { next.pendingCheckIns.map(\.status) == [.late] })
      #expect(game.ana.gate.calls(of: "check_in") == calls)
      // It stays, also over another start, until the person decides.
      await next.saveState()
      let last = game.restarted()
      await last.restoreFromCache()
      #expect(last.pendingCheckIns.map(\.status) == [.late])
      let late = try #require(last.pendingCheckIns.first)
      await last.retry(late.id)
      #expect(game.ana.gate.calls(of: "check_in") == calls + 1)
      guard case .refused? = last.pendingCheckIns.first?.status else {
        Issue.record("expected a refusal, found \(last.pendingCheckIns)")
        return
      }
      #expect(try game.kept().isEmpty)
    }
  }

  @Test func `one whose mission ended while nobody could say so is late by its own clock`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let clock = Watched(WireTime.now.advanced(by: .seconds(60)))
      let end = clock.value.advanced(by: .seconds(3600))
      let mission = try await ana.missionsService.createMission(
        CreateMission(
          title: "Lanterns", centre: Samples.lisbon, radiusMetres: 50, endsAt: end,
          objectives: [ObjectiveInput(title: "Blue door")]))
      let store = try await ana.makeMissionsStore(at: Samples.lisbon, now: { clock.value })
      await store.refreshAll(mode: .initial)
      ana.gate.goOffline()
      await store.checkIn(mission.objectives[0].id, of: mission.id)
      #expect(store.pendingCheckIns.map(\.status) == [.queued])
      ana.gate.goOffline(false)
      clock.change { $0 = end }
      await store.refreshAll(mode: .refresh)
      #expect(await eventually { store.pendingCheckIns.map(\.status) == [.late] })
    }
  }

  @Test func `nobody else's check-ins are sent or shown`() async throws {
    try await TestServer.with { server in
      let game = try await Game(on: server)
      game.ana.gate.goOffline()
      await game.store.checkIn(game.door, of: game.mission.id)
      game.ana.gate.goOffline(false)
      let calls = game.ana.gate.calls(of: "check_in")
      try await game.ana.authService.signOut()
      _ = try await game.ana.authService.signUp(
        email: "ben@example.org", password: Samples.password, username: "ben")
      let next = game.restarted()
      await next.restoreFromCache()
      await next.refreshAll(mode: .initial)
      #expect(next.pendingCheckIns.isEmpty)
      await game.store.retry(try #require(game.store.pendingCheckIns.first).id)
      #expect(game.ana.gate.calls(of: "check_in") == calls)
    }
  }

  @Test func `a check-in that cannot be written says that it ends with the program, and is sent`()
    async throws
  {
    try await TestServer.with { server in
      let game = try await Game(on: server)
      let restarted = game.restarted()
      await restarted.refreshAll(mode: .initial)
      let file = game.ana.folder.file(
        "location/\(CheckInQueue.key(userID: game.ana.userID)).json")
      try FileManager.default.createDirectory(
        atPath: file + "/x", withIntermediateDirectories: true)
      game.ana.gate.goOffline()
      // when
      for store in [game.store, restarted] {
        await store.checkIn(game.door, of: game.mission.id)
        // then
        #expect(store.pendingCheckIns.map(\.status) == [.queued])
        #expect(store.pendingCheckIns.map(\.isKept) == [false])
      }
      try FileManager.default.removeItem(atPath: file)
      await restarted.checkIn(game.cat, of: game.mission.id)
      #expect(restarted.pendingCheckIns.map(\.isKept) == [true, true])
      #expect(try game.kept().count == 1)
    }
  }

  @Test func `check-ins in a file that was unreadable for a while are not written over`()
    async throws
  {
    try await TestServer.with { server in
      let game = try await Game(on: server)
      let restarted = game.restarted()
      await restarted.refreshAll(mode: .initial)
      game.ana.gate.goOffline()
      await game.store.checkIn(game.door, of: game.mission.id)
      let file = game.ana.folder.file(
        "location/\(CheckInQueue.key(userID: game.ana.userID)).json")
      try FileManager.default.moveItem(atPath: file, toPath: file + ".away")
      try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
      await restarted.restoreFromCache()
      // when
      try FileManager.default.removeItem(atPath: file)
      try FileManager.default.moveItem(atPath: file + ".away", toPath: file)
      await restarted.checkIn(game.cat, of: game.mission.id)
      // then
      #expect(
        restarted.pendingCheckIns.map(\.objectiveTitle) == ["Blue door", "Stone cat"])
    }
  }
}
