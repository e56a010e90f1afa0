import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

/// The rules in their file and with the account, on a real server.
@MainActor
@Suite struct PrivacyRulesServiceTests {
  /// Another machine of the same account.
  private func otherMachine(
    of person: TestPerson, now: @escaping () -> WireTime = { .now }
  ) -> PrivacyRulesService {
    PrivacyRulesService(
      authService: person.authService, privacyService: PrivacyService(client: person.client),
      persistenceService: PersistenceService(folder: person.folder.file("other")), now: now)
  }

  private func files(_ person: TestPerson) throws -> [String] {
    let folder = person.folder.file("location")
    return try FileManager.default.contentsOfDirectory(atPath: folder).filter {
      $0.hasPrefix("privacy")
    }.map { "\(folder)/\($0)" }
  }

  private func addHome(
    to store: PrivacyRulesService, allows: PrivacyZone.Allowance = .nothing
  ) async throws -> PrivacyRulesService.Change {
    try await store.addZone(
      "Home", around: Samples.lisbon, accuracyMetres: 10, distance: 300, allows: allows)
  }

  @Test func `rules outlive a restart in a private file, and go with the sign-out`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = ana.makePrivacyRulesService()
      #expect(store.limit(at: Samples.lisbon, accuracyMetres: nil).reason == .unreadable)
      await store.restore()
      #expect(store.limit(at: Samples.lisbon, accuracyMetres: nil) == .none)
      #expect(try await addHome(to: store).warning == nil)
      let zone = try #require(store.kept.own.zones.first)
      #expect(zone.name == "home" && zone.protectedDistance == 300)
      let file = try #require(try files(ana).first)
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      // The server has none of it.
      #expect(try await PrivacyService(client: ana.client).fetchRules() == nil)

      let restarted = ana.makePrivacyRulesService()
      await restarted.restore()
      #expect(restarted.kept == store.kept)
      #expect(restarted.limit(at: Samples.lisbon, accuracyMetres: nil).reason == .zone("home"))
      // The same zone again keeps its circle: many circles would tell what they are around.
      _ = try await addHome(to: restarted, allows: .city)
      #expect(restarted.kept.own.zones.map(\.centre) == [zone.centre])
      #expect(restarted.kept.own.zones.first?.allows == .city)

      try await restarted.forget(userID: ana.userID)
      #expect(try files(ana).isEmpty)
      #expect(restarted.kept.isEmpty)
    }
  }

  @Test func `whatever reads the file meanwhile, a zone holds from its making to its end`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = ana.makePrivacyRulesService()
      await store.restore()
      let readers = (0..<4).map { _ in
        Task { while !Task.isCancelled { await store.reload() } }
      }
      for _ in 0..<20 {
        let change = Task { try await addHome(to: store) }
        while store.kept.isEmpty { await Task.yield() }
        var wasLost = false
        let watch = Task {
          while !Task.isCancelled {
            wasLost = wasLost || store.kept.isEmpty
            await Task.yield()
          }
        }
        _ = try await change.value
        for _ in 0..<3 { await store.reload() }
        watch.cancel()
        #expect(!wasLost)
        _ = try await store.removeZone("home")
        for _ in 0..<3 { await store.reload() }
        #expect(store.kept.isEmpty)
      }
      for reader in readers { reader.cancel() }
    }
  }

  @Test func `what another process of the profile changes is not lost`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let (one, other) = (ana.makePrivacyRulesService(), ana.makePrivacyRulesService())
      await one.restore()
      await other.restore()
      _ = try await addHome(to: one)
      _ = try await other.addHours(SharingHours("work", typed: ["mon-fri", "9-18"]))
      #expect(other.kept.zones.map(\.name) == ["home"])
      await one.reload()
      #expect(one.kept == other.kept)
      _ = try await one.removeZone("HOME")
      _ = try await one.removeHours("work")
      #expect(one.kept.isEmpty)
      await #expect(throws: FieldProblem.self) { try await one.removeZone("home") }
      await #expect(throws: FieldProblem.self) { try await one.removeHours("work") }
    }
  }

  @Test func `while the file cannot be read nothing leaves, and it is not overwritten`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      _ = try await addHome(to: ana.makePrivacyRulesService())
      let file = try #require(try files(ana).first)
      let broken = Data(#"{"own":{"zones":[{"allows":"country"}]}}"#.utf8)
      try broken.write(to: URL(filePath: file))
      let store = ana.makePrivacyRulesService()
      await store.restore()
      #expect(
        store.limit(at: Samples.porto, accuracyMetres: nil)
          == PrivacyLimit(mode: .off, reason: .unreadable))
      let problem = await #expect(throws: FieldProblem.self) { try await addHome(to: store) }
      #expect(problem?.advice.contains(file) == true)
      #expect(FileManager.default.contents(atPath: file) == broken)
    }
  }

  @Test func `a place that is known less exactly than the zone is large is no place for one`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = ana.makePrivacyRulesService()
      await #expect(throws: FieldProblem.self) {
        try await store.addZone(
          "home", around: Samples.lisbon, accuracyMetres: 5000, distance: 300, allows: .nothing)
      }
      #expect(store.kept.isEmpty)
      for number in 0..<PrivacyRules.limit {
        _ = try await store.addZone(
          "z\(number)", around: Samples.porto, accuracyMetres: nil, distance: 100, allows: .city)
      }
      await #expect(throws: FieldProblem.self) { try await addHome(to: store) }
      #expect(store.kept.zones.count == PrivacyRules.limit)
    }
  }

  @Test func `a zone that was removed has its circle again, under another name too`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = ana.makePrivacyRulesService()
      _ = try await addHome(to: store)
      let centre = try #require(store.kept.zones.first?.centre)
      _ = try await store.removeZone("home")
      #expect(store.kept.zones.isEmpty)
      // With the account the circle goes there, and comes back from there on another machine.
      #expect(try await store.keep(withAccount: true).isKept)
      let desktop = otherMachine(of: ana)
      try await desktop.fetchAccount()
      for (name, distance) in [("home", 300.0), ("flat", 400), ("home", 350)] {
        _ = try await desktop.addZone(
          name, around: Samples.lisbon, accuracyMetres: 10, distance: distance, allows: .nothing)
        #expect(desktop.kept.zones.map(\.centre) == [centre])
        _ = try await desktop.removeZone(name)
      }
    }
  }

  @Test func `a change that cannot be written says so, and one of the account is kept there`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      // Nobody can make a folder there, and what is not there is no file that cannot be read.
      let store = PrivacyRulesService(
        authService: ana.authService, privacyService: PrivacyService(client: ana.client),
        persistenceService: PersistenceService(folder: "/proc/rally/location"))
      let here = try await addHome(to: store)
      #expect(!here.isKept && here.warning?.contains("next start") == true)
      #expect(store.limit(at: Samples.lisbon, accuracyMetres: nil).mode == .off)
      _ = try await otherMachine(of: ana).keep(withAccount: true)
      let there = try await addHome(to: store)
      #expect(there.isKept && there.warning?.contains("with your account") == true)
      #expect(
        try await PrivacyService(client: ana.client).fetchRules()?.zones.map(\.name) == ["home"])
    }
  }

  // MARK: - The account

  @Test func `kept with the account they hold on other machines, until that ends`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let (laptop, desktop) = (ana.makePrivacyRulesService(), otherMachine(of: ana))
      _ = try await addHome(to: laptop)
      #expect(try await laptop.keep(withAccount: true).warning == nil)
      #expect(laptop.kept.own.isEmpty && laptop.kept.account?.zones.count == 1)
      try await desktop.refreshAccount()
      #expect(desktop.kept.account == laptop.kept.account)
      #expect(desktop.limit(at: Samples.lisbon, accuracyMetres: 5).mode == .off)
      // A change from there comes here, once an event or the time says that there is one.
      _ = try await desktop.addHours(
        SharingHours("work", typed: ["mon-fri", "9-18"]), timeZone: .utc)
      let calls = ana.gate.calls(of: "fetch_privacy_rules")
      try await laptop.refreshAccount()
      #expect(ana.gate.calls(of: "fetch_privacy_rules") == calls)
      laptop.accountChanged()
      try await laptop.refreshAccount()
      #expect(laptop.kept.account?.hours.map(\.name) == ["work"])
      // The copy is there offline, after a restart.
      ana.gate.goOffline()
      let restarted = ana.makePrivacyRulesService()
      await restarted.restore()
      #expect(restarted.kept.account == laptop.kept.account)
      ana.gate.goOffline(false)
      // Kept on one machine only: the server has none any more, and the other one goes on by itself.
      _ = try await laptop.keep(withAccount: false)
      #expect(try await PrivacyService(client: ana.client).fetchRules() == nil)
      desktop.accountChanged()
      try await desktop.refreshAccount()
      #expect(desktop.kept.account == nil)
      #expect(desktop.kept.own.zones == laptop.kept.own.zones)
      #expect(desktop.kept.own.hours.map(\.name) == ["work"])
    }
  }

  @Test func `offline a zone holds at once on this machine, and nothing becomes weaker`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = ana.makePrivacyRulesService()
      _ = try await addHome(to: store)
      _ = try await store.keep(withAccount: true)
      ana.gate.goOffline()
      let change = try await store.addZone(
        "office", around: Samples.porto, accuracyMetres: nil, distance: 200, allows: .nothing)
      #expect(change.warning?.contains("this machine only") == true)
      #expect(store.kept.own.zones.map(\.name) == ["office"])
      #expect(store.limit(at: Samples.porto, accuracyMetres: nil).mode == .off)
      await #expect(throws: FieldProblem.self) { try await store.removeZone("home") }
      #expect(store.limit(at: Samples.lisbon, accuracyMetres: nil).mode == .off)
      await #expect(throws: FieldProblem.self) { try await store.keep(withAccount: false) }
      #expect(store.kept.account?.zones.map(\.name) == ["home"])
      // What is this machine's own can be removed.
      _ = try await store.removeZone("office")
      #expect(store.kept.own.isEmpty)
    }
  }

  @Test func `a zone holds while the account is still being told`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = ana.makePrivacyRulesService()
      _ = try await store.keep(withAccount: true)
      ana.gate.hold("privacy_rules")
      let adding = Task { try await addHome(to: store) }
      #expect(await ana.gate.isHeld("privacy_rules"))
      #expect(store.limit(at: Samples.lisbon, accuracyMetres: nil).mode == .off)
      ana.gate.release("privacy_rules")
      #expect(try await adding.value.warning == nil)
      #expect(store.kept.account?.zones.map(\.name) == ["home"])
    }
  }

  // MARK: - Hours

  @Test func `the end of the hours is told by the clock, and by no timer without hours`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let end = try #require(WireTime("2026-03-02T18:00:00Z"))
      // Stands before the end until the hours are kept, however long that takes.
      var time = end.advanced(by: .milliseconds(-400))
      let store = ana.makePrivacyRulesService(now: { time })
      _ = try await store.addHours(
        SharingHours("work", typed: ["mon-fri", "9-18"]), timeZone: .utc)
      time = end
      #expect(await eventually { store.hoursChanges > 0 })
      #expect(store.limit(at: Samples.lisbon, accuracyMetres: nil).reason == .hours)
      #expect(store.opening == "Tue 09:00")
    }
  }
}
