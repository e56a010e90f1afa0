import Foundation
import RallySystem
import RallyTestSupport
import RallyWire

/// Measures three servers on one PostgreSQL beside one, and what each operation costs.
///
/// Servers, PostgreSQL and the load generators share the cores of one machine, so three servers are
/// no faster here than one: what is compared is what several of them cost.
struct ClusterMeasurements {
  let plan: ClusterPlan

  /// - Returns: What `scale-tables` computes communities from.
  /// - Throws: `BenchFailure`, `ProcessFailure` or `PostgresFixture.Failure`.
  func measure(into table: inout ResultTable) async throws -> UnitCosts {
    try OpenFiles.raise(to: plan.people + 500)
    var costs = UnitCosts()
    for count in [1, 3] {
      let name = count == 1 ? "1 server" : "\(count) servers"
      progress("\(name) on one PostgreSQL, \(plan.people) people")
      let cluster = try await BenchmarkCluster(of: count, people: plan.people)
      if count == 1 { costs.operations = try await operations(of: cluster) }
      try await sockets(of: cluster, named: name, into: &table, &costs)
      try await presence(of: cluster, named: name, into: &table, &costs)
    }
    costs.add(to: &table)
    return costs
  }

  // MARK: - Changes

  /// Raises the number of changes a second until they arrive too late.
  private func sockets(
    of cluster: BenchmarkCluster, named name: String, into table: inout ResultTable,
    _ costs: inout UnitCosts
  ) async throws {
    let before = cluster.figures
    let generator = try await cluster.openSockets(.messages)
    let memory = (cluster.figures.memory - before.memory) * 1024 * 1.048_576 / Double(plan.people)
    table.add(name, "memory of one of \(plan.people) sockets", memory, "kB")
    costs.socketKilobytes = max(costs.socketKilobytes, memory)

    let missions = try cluster.groups.map {
      (id: $0.mission, token: try cluster.token(of: $0.members[0]))
    }
    var reached = 0
    for (number, rate) in plan.rates.enumerated() {
      progress("\(rate) changes a second, each to \(ClusterGroup.size)")
      let writers = try ChangeWriters(
        missions: missions, ports: cluster.nodes.map(\.port), key: cluster.key, rate: rate)
      let idle = cluster.figures
      let changes = writers.run(for: plan.seconds)
      let busy = cluster.figures
      let heard = try await SocketLoad.result(number + 1, of: generator)
      if number == 0 {
        if cluster.nodes.count > 1 {
          costs.operations[UnitCosts.told] = UnitCosts.Operation(
            from: idle, to: busy, each: changes)
        }
        table.add(name, "\(rate) changes a second, to the sockets of all, median", heard.median)
        costs.feedMilliseconds = max(costs.feedMilliseconds, heard.median.milliseconds)
      }
      table.add(
        name, "\(rate) changes a second, frames that did not arrive",
        Double(changes * ClusterGroup.size - heard.frames), "", target: 0)
      guard changes >= rate * plan.seconds * 95 / 100, heard.slowest < .milliseconds(100) else {
        break
      }
      reached = rate
    }
    table.add(
      name, "changes a second, each to \(ClusterGroup.size), with 99 % within 100 ms",
      Double(reached), "")
    costs.changesPerSecond[name] = reached
    _ = try await SocketLoad.end(generator)
  }

  // MARK: - Presence

  /// Has everybody come online, one after the other, and go at once.
  private func presence(
    of cluster: BenchmarkCluster, named name: String, into table: inout ResultTable,
    _ costs: inout UnitCosts
  ) async throws {
    progress("presence of \(plan.people) people")
    let before = cluster.figures
    let generator = try await cluster.openSockets(.presence)
    // Until the news of the last ones have been told.
    try await settle(cluster)
    let online = cluster.figures
    _ = try await SocketLoad.end(generator)
    try await settle(cluster)
    let offline = cluster.figures
    for (what, from, to) in [("coming online", before, online), ("going", online, offline)] {
      let cost = UnitCosts.Operation(from: from, to: to, each: plan.people)
      table.add(name, "\(what), processor of servers", cost.servers, "ms")
      table.add(name, "\(what), processor of PostgreSQL", cost.postgres, "ms")
      if cluster.nodes.count > 1 { costs.operations[what] = cost }
    }
  }

  /// Waits until the servers have done what they had to do.
  private func settle(_ cluster: BenchmarkCluster) async throws {
    var last = cluster.figures.servers
    while true {
      try await Task.sleep(for: .seconds(1))
      let now = cluster.figures.servers
      // A twentieth of one core: leases and looks at the feed.
      guard now - last > .milliseconds(50) else { return }
      last = now
    }
  }

  // MARK: - Operations

  private func operations(
    of cluster: BenchmarkCluster
  ) async throws -> [String: UnitCosts.Operation] {
    var found: [String: UnitCosts.Operation] = [:]
    let groups = cluster.groups
    let connection = try cluster.connection(as: groups[0].members[0])
    // Their tokens in turns: another group at each call, then another member.
    let tokens = try (0..<ClusterGroup.size).flatMap { member in
      try groups.map { try cluster.token(of: $0.members[member]) }
    }
    var rows = try await cluster.rows()
    // The warming calls prepare statements and read pages into memory.
    func measure<F: RemoteFunction>(
      _ what: String, after warming: Int = 20, _ call: (Int) -> F?
    ) async throws {
      progress(what)
      func bytes(of step: Int) throws -> Int {
        connection.token = tokens[step % tokens.count]
        return try size(of: call(step), on: connection)
      }
      for step in 0..<warming { _ = try bytes(of: step) }
      // Many warming calls are left out of the rows; few are counted with the others.
      let isLong = warming > plan.calls / 10
      if isLong { rows = try await cluster.rows() }
      let before = cluster.figures
      let answers = try (warming..<warming + plan.calls).map(bytes).reduce(0, +)
      let after = cluster.figures
      let calls = Double(plan.calls + (isLong ? 0 : warming))
      let rowsAfter = try await cluster.rows()
      defer { rows = rowsAfter }
      var cost = UnitCosts.Operation(from: before, to: after, each: plan.calls)
      cost.read = Double(rowsAfter.read - rows.read) / calls
      cost.written = Double(rowsAfter.written - rows.written) / calls
      cost.bytes = Double(answers) / Double(plan.calls)
      found[what] = cost
    }
    func stranger(_ step: Int) -> UUID? {
      UUID(uuidString: groups[(step * 7 + 1) % groups.count].members[step % ClusterGroup.size])
    }
    // Everybody is somewhere before the measured moves.
    try await measure("publish_locations", after: plan.people) { step in
      Coordinate(latitude: 48 + Double(step) / 1000, longitude: 16.4).map {
        PublishLocations(locations: [
          LocationReport(coordinate: $0, accuracyMetres: 10, recordedAt: .now, source: "gps")
        ])
      }
    }
    try await measure("fetch_friends") { _ in FetchFriends(limit: 50, offset: 0) }
    try await measure("fetch_friend_locations") { _ in FetchFriendLocations(since: nil) }
    try await measure("fetch_missions") { _ in FetchMissions(scope: .active, limit: 50) }
    try await measure("say_in_mission") { step in
      SayInMission(missionID: groups[step % groups.count].mission, text: "line \(step)")
    }
    try await measure("fetch_mission_activity") { step in
      FetchMissionActivity(missionID: groups[step % groups.count].mission, limit: 50)
    }
    try await measure("search_people") { step in SearchPeople(query: "p\(step)", limit: 20) }
    try await measure("request_friend") { stranger($0).map { RequestFriend(userID: $0) } }
    return found
  }

  /// - Returns: The size of the answer in bytes.
  private func size<F: RemoteFunction>(of call: F?, on connection: HTTPConnection) throws -> Int {
    guard let call else { return 0 }
    let answer = try connection.post("/rest/v1/rpc/\(F.name)", WireJSON.encode(call))
    guard (200..<300).contains(answer.status) else {
      throw BenchFailure(
        "\(F.name): \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
    }
    return answer.body.count
  }
}

/// The size of the measurements of a cluster.
struct ClusterPlan {
  var people = 2000
  /// Changes a second, each to a group.
  var rates = [50, 100, 150, 200, 250, 300, 400, 500, 600, 800, 1000]
  /// Of each rate.
  var seconds = 6
  /// Of each operation.
  var calls = 400

  static let full = ClusterPlan()
  static let small = ClusterPlan(people: 100, rates: [20, 40], seconds: 2, calls: 20)
}

extension BenchmarkCluster {
  /// Rows that PostgreSQL read through indexes and scans, and wrote, since it was started.
  fileprivate func rows() async throws -> (read: Int, written: Int) {
    // A connection tells the statistics what it did after ten idle seconds at the latest.
    try await Task.sleep(for: .seconds(11))
    func count(_ columns: String) throws -> Int {
      let text = try postgres.execute(
        "SELECT \(columns) FROM pg_stat_database WHERE datname = 'postgres'")
      return text.flatMap { Int($0) } ?? 0
    }
    return (
      try count("tup_fetched"), try count("tup_inserted + tup_updated + tup_deleted")
    )
  }
}
