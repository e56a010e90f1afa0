import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire

/// Counts the requests of two open clients for what one of them does, at a real server.
@MainActor
struct RequestMeasurements {
  /// How long no request is sent once everything is known: longer than hints wait for each other.
  private static let quiet = Duration.seconds(2)

  func measure(into table: inout ResultTable) async throws {
    progress("requests of two clients")
    var rows = ResultTable()
    try await TestServer.with { server in
      let ana = try await Client(signingUp: "ana", on: server)
      rows.add("client", "a start with an empty cache", ana.requests, "requests", target: 9)
      let bob = try await Client(signingUp: "bob", on: server)
      let clients = [ana, bob]
      let friends = (ana.services.friendsService, bob.services.friendsService)

      try await count("asks", of: clients, into: &rows) {
        let profile = try await friends.0.findPerson(username: try Username("bob"))
        guard let profile else { throw BenchFailure("nobody is called bob") }
        ana.gate.forget()
        _ = await ana.stores.social.requestFriend(profile)
      }
      try await count("accepts", of: [bob, ana], into: &rows) {
        _ = await bob.stores.social.respondToFriendRequest(ana.userID, action: .accept)
      }
      var mission: Mission?
      try await count("makes a mission", of: clients, into: &rows) {
        mission = try await ana.services.missionsService.createMission(
          CreateMission(
            title: "Fog on the bridge", centre: Samples.lisbon, radiusMetres: 50,
            startsAt: WireTime.now.advanced(by: .seconds(3600)), visibility: .friends))
      }
      if let mission {
        try await count("joins it", of: [bob, ana], into: &rows) {
          _ = await bob.stores.missions.join(mission.id)
        }
      }
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
      try await ana.start()
      rows.add("client", "a start with a warm cache", ana.requests, "requests", target: 2)
      for client in clients { await client.end() }
    }
    for row in rows.rows {
      table.add(row.subject, row.what, row.value, row.unit, target: row.target)
    }
  }

  /// - Parameter clients: The one who acts first.
  private func count(
    _ what: String, of clients: [Client], into rows: inout ResultTable,
    _ act: () async throws -> Void
  ) async throws {
    for client in clients { client.gate.forget() }
    try await act()
    for client in clients { await client.settle() }
    rows.add("client", "who \(what)", clients[0].requests, "requests", target: 1)
    rows.add("client", "the other, who hears of it", clients[1].requests, "requests", target: 0)
  }

  /// A client without a screen.
  @MainActor private final class Client {
    let gate = CountingGate()
    private(set) var running: RunningSession
    private(set) var stores: SharedStores
    private var session: RallySession
    private let make: @MainActor () -> RallySession
    private let folder: TemporaryFolder
    private var task: Task<Void, Never>?

    var services: AppServices { session.services }
    var userID: UUID { stores.userID ?? UUID() }
    var requests: Double { Double(gate.paths.count) }

    init(signingUp name: String, on server: TestServer) async throws {
      let folder = try TemporaryFolder()
      let folders = try RallyFolders(data: folder.path, environment: [:])
      let choice = ServerChoice.remote(try ServerURL(server.url), key: server.key)
      make = { [gate] in
        RallySession(
          server: choice, folders: folders, runtimePolicyCoordinator: RuntimePolicyCoordinator()
        ) { AppServices(folders: folders, server: $0, transport: gate.transport) }
      }
      self.folder = folder
      session = make()
      try await session.services.authService.signUp(
        email: "\(name)@example.org", password: Samples.password, username: name)
      await session.restore()
      guard let stores = session.stores else { throw BenchFailure("\(name) is not signed in") }
      self.stores = stores
      running = RunningSession(session, stores)
      await run()
    }

    /// Ends and starts anew, with what was kept.
    func start() async throws {
      await end()
      session = make()
      await session.restore()
      guard let stores = session.stores else { throw BenchFailure("nobody is signed in") }
      self.stores = stores
      running = RunningSession(session, stores)
      await run()
    }

    private func run() async {
      gate.forget()
      task = Task { [running] in await running.run() }
      _ = await eventually { self.services.linkService.state == .live }
      await settle()
    }

    func end() async {
      task?.cancel()
      await task?.value
      await session.close()
    }

    /// Returns once nothing was sent for a while.
    func settle() async {
      var known = -1
      while known != gate.paths.count {
        known = gate.paths.count
        try? await Task.sleep(for: RequestMeasurements.quiet)
      }
    }
  }

  /// Counts what is sent.
  private final class CountingGate: Sendable {
    private let sent = Watched<[String]>([])

    var paths: [String] { sent.value }

    func forget() { sent.change { $0 = [] } }

    var transport: Transport {
      let live = Transport.live
      return Transport(
        send: { [sent] call in
          sent.change { $0.append(call.path) }
          return try await live.send(call)
        }, openSocket: live.openSocket)
    }
  }
}
