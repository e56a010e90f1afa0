import Foundation
import RallyClient
import RallyDomain
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
      let friends = (ana.services.friendsService, bob.services.friendsService)

      try await count("asks", of: clients, into: &rows) {
        let profile = try await friends.0.findPerson(username: try Username("bob"))
        guard let profile else { throw BenchFailure("nobody is called bob") }
        ana.forget()
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

extension RunningPerson {
  fileprivate var count: Double { Double(requests.count) }
}
