import Foundation
import RallyClient
import RallyDomain
import RallyStorage
import RallySystem
import RallyTestSupport
import RallyWire

/// Counts the requests and bytes of two open clients for what one of them does, at a real server on both
/// engines.
@MainActor
struct RequestMeasurements {
  /// How long no request is sent once everything is known: longer than hints wait for each other.
  private static let quiet = Duration.seconds(2)

  func measure(into table: inout ResultTable) async throws {
    for engine in [TestEngine.sqlite, .postgres] {
      try await TestEngine.$current.withValue(engine) {
        try await measure(on: engine.rawValue, into: &table)
        try await measureVerbs(on: engine, into: &table)
      }
    }
  }

  private func measure(on engine: String, into table: inout ResultTable) async throws {
    progress("requests of two clients, \(engine)")
    var rows = ResultTable()
    try await TestServer.with { server in
      let ana = try await RunningPerson(signingUp: "ana", on: server)
      await settle(ana)
      rows.add("client", "a start with an empty cache", ana.count, "requests", target: 9)
      rows.add("client", "bytes of it", Double(ana.bytes), "B")
      let bob = try await RunningPerson(signingUp: "bob", on: server)
      await settle(bob)
      let clients = [ana, bob]
      // A map that is seen asks for positions at its pace.
      for client in clients { client.running.tabChanged(to: .friends) }
      try await becomeFriends(ana, bob, into: &rows)
      try await count("takes another name", of: clients, into: &rows) {
        _ = try await ana.services.profileService.updateProfile(displayName: "Zoë")
      }
      var mission: Mission?
      try await count("makes a mission", of: clients, into: &rows) {
        mission = try await ana.services.missionsService.createMission(
          CreateMission(
            title: "Fog on the bridge", centre: Samples.lisbon, radiusMetres: 50,
            visibility: .friends,
            objectives: [ObjectiveInput(title: "Door"), ObjectiveInput(title: "Cat")]))
      }
      if let mission { try await play(mission, ana, bob, into: &rows) }
      try await count("has the focus 200 times", of: clients, into: &rows) {
        for _ in 0..<200 {
          ana.running.focusChanged(false)
          ana.running.focusChanged(true)
        }
      }
      try await count("unfriends", of: clients, into: &rows) {
        guard let friend = ana.stores.social.friends.first else { return }
        _ = await ana.stores.social.unfriend(friend)
      }
      try await count("blocks", of: clients, into: &rows) {
        _ = await ana.stores.social.block(bob.profile)
      }
      try await ana.restart()
      await settle(ana)
      rows.add("client", "a start with a warm cache", ana.count, "requests", target: 2)
      rows.add("client", "bytes of it", Double(ana.bytes), "B")
      for client in clients { await client.end() }
    }
    for row in rows.rows {
      table.add("\(row.subject), \(engine)", row.what, row.value, row.unit, target: row.target)
    }
  }

  /// All that becomes of requests, up to one that is accepted.
  private func becomeFriends(
    _ ana: RunningPerson, _ bob: RunningPerson, into rows: inout ResultTable
  ) async throws {
    try await count("asks", of: [ana, bob], into: &rows) {
      let profile = try await ana.services.friendsService.findPerson(
        username: try Username("bob"))
      guard let profile else { throw BenchFailure("nobody is called bob") }
      ana.forget()
      _ = await ana.stores.social.requestFriend(profile)
    }
    try await count("withdraws that", of: [ana, bob], into: &rows) {
      _ = await ana.stores.social.respondToFriendRequest(bob.userID, action: .cancel)
    }
    _ = await ana.stores.social.requestFriend(bob.profile)
    await settle(bob)
    try await count("declines", of: [bob, ana], into: &rows) {
      _ = await bob.stores.social.respondToFriendRequest(ana.userID, action: .decline)
    }
    try await countGap(of: bob, into: &rows) {
      _ = await ana.stores.social.requestFriend(bob.profile)
    }
    try await count("accepts", of: [bob, ana], into: &rows) {
      _ = await bob.stores.social.respondToFriendRequest(ana.userID, action: .accept)
    }
  }

  /// All that people do in a mission.
  private func play(
    _ mission: Mission, _ ana: RunningPerson, _ bob: RunningPerson, into rows: inout ResultTable
  ) async throws {
    try await count("edits it", of: [ana, bob], into: &rows) {
      var call = UpdateMission(missionID: mission.id)
      call.brief = "Bring a lamp."
      _ = await ana.stores.missions.update(call)
    }
    try await count("joins it", of: [bob, ana], into: &rows) {
      _ = await bob.stores.missions.join(mission.id)
    }
    try await count("says something", of: [bob, ana], into: &rows) {
      _ = await bob.stores.missions.say("on the stairs", in: mission.id)
    }
    try await count("checks in", of: [bob, ana], into: &rows) {
      _ = try await bob.services.missionsService.checkIn(
        mission.objectives[0].id, of: mission.id, at: Samples.lisbon, accuracyMetres: 5)
    }
    try await count("completes it", of: [ana, bob], into: &rows) {
      _ = await ana.stores.missions.complete(mission.id)
    }
  }

  /// Counts what a client asks that was away while somebody else did something.
  private func countGap(
    of client: RunningPerson, into rows: inout ResultTable, _ act: () async throws -> Void
  ) async throws {
    client.gate.goOffline()
    _ = await eventually { client.services.linkService.state != .live }
    try await act()
    await settle(client)
    client.forget()
    client.gate.goOffline(false)
    await client.services.linkService.retryNow()
    _ = await eventually { client.services.linkService.state == .live }
    await settle(client)
    rows.add("client", "back after a gap with one change", client.count, "requests", target: 1)
    rows.add("client", "bytes of it", Double(client.bytes), "B")
  }

  // MARK: - Verbs

  /// Counts in the server's log what verbs of the built program ask.
  private func measureVerbs(on engine: TestEngine, into table: inout ResultTable) async throws {
    progress("requests of verbs, \(engine.rawValue)")
    let database = engine == .postgres ? try PostgresFixture.shared.get().database() : nil
    let server = try await BenchmarkServer(
      size: 1, friends: 0, database: database?.description, options: ["--log-level", "info"])
    try await server.signIn()
    func count(_ verb: String..., target: Double?) async throws {
      let before = server.calls.count
      let run = try await CommandRun.of(
        RallyBinary.required(), verb + server.arguments, environment: server.folder.environment)
      guard run.succeeded else { throw BenchFailure("\(run)") }
      let calls = server.calls.dropFirst(before)
      progress("  \(verb.joined(separator: " ")): \(calls.joined(separator: ", "))")
      let name = verb.prefix(2).joined(separator: " ")
      table.add(
        "rally, \(engine.rawValue)", name, Double(calls.count), "requests", target: target)
    }
    try await count("missions", "new", "--title", "Lanterns", "--at", "38.7,-9.1", target: nil)
    try await count("missions", "say", "Lant", "hello", target: 2)
    try await count("friends", "add", server.users[0].username, target: 2)
  }

  /// Returns once nothing was sent for a while.
  private func settle(_ client: RunningPerson) async {
    var known = -1
    while known != client.requests.count {
      known = client.requests.count
      try? await Task.sleep(for: Self.quiet)
    }
    progress("  \(client.name): \(client.requests.joined(separator: ", "))")
  }

  /// - Parameter clients: The one who acts first.
  private func count(
    _ what: String, of clients: [RunningPerson], into rows: inout ResultTable,
    _ act: () async throws -> Void
  ) async throws {
    for client in clients { client.forget() }
    try await act()
    // The bytes of heartbeats are few, and come while nothing happens.
    for client in clients { await settle(client) }
    let bytes = clients.map { Double($0.bytes) }
    rows.add("client", "who \(what)", clients[0].count, "requests", target: 1)
    rows.add("client", "the other, who hears of it", clients[1].count, "requests", target: 0)
    rows.add("client", "bytes of both", bytes[0] + bytes[1], "B")
  }
}

extension BenchmarkServer {
  /// The functions that were called, as the log names them.
  fileprivate var calls: [String] {
    process.snapshot.errorText.split(separator: "/rest/v1/rpc/").dropFirst().map {
      String($0.prefix { $0.isLetter || $0 == "_" })
    }
  }
}

extension RunningPerson {
  fileprivate var count: Double { Double(requests.count) }
}
