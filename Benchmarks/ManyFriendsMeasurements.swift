import Foundation
import RallyClient
import RallyDomain
import RallyRules
import RallyServer
import RallyTestSupport
import RallyWire

/// Counts what a start and a friend's act cost a client with ten thousand friends, beside one with few,
/// and what 200 events a second do.
@MainActor
struct ManyFriendsMeasurements {
  private static let count = 10_000
  private static let acts = 20
  /// Who asks and withdraws so often a second, all together, and for how long.
  private static let askers = 8
  private static let rate = 200.0
  private static let burst = Duration.seconds(10)

  private struct Costs {
    var startRequests = 0
    var actRequests = 0
    /// Processor time for one event, of client and server.
    var event = Duration.zero
    /// The same for reading all lists anew, as each event did.
    var refresh = Duration.zero
    var stream: Stream?
    /// The same without what events bring, as before they brought it.
    var hints: Stream?
  }

  /// What events that come one after the other cost.
  private struct Stream {
    /// Events a second.
    var rate: Double
    var requests: Int
    /// Processor time a second, that of the server too.
    var all: Duration
  }

  func measure(into table: inout ResultTable) async throws {
    progress("a friend's act among \(Self.count) friends")
    let few = try await costs(friends: 10)
    let many = try await costs(friends: Self.count)
    let subject = "client, 10,000 friends"
    table.add(subject, "requests of a start", Double(many.startRequests), "requests", target: 40)
    table.add(
      subject, "requests of a friend's act", Double(many.actRequests), "requests", target: 0)
    table.add(subject, "processor of client and server, a friend's act", many.event)
    table.add(
      subject, "the same, more than with 10 friends", many.event - few.event, target: 2)
    table.add(
      subject, "the same, of reading the lists anew", many.event / many.refresh, "x", target: 0.2)
    for (stream, name) in [(many.stream, "events"), (many.hints, "the same as hints alone")] {
      guard let stream else { continue }
      table.add(subject, "\(name): a second", stream.rate, "")
      table.add(subject, "\(name): requests in 10 s", Double(stream.requests), "requests")
      table.add(subject, "\(name): client and server, a second", stream.all)
    }
  }

  private func costs(friends count: Int) async throws -> Costs {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    return try await TestServer.with {
      $0.database = .folder(folder.path)
      // A new account has a third of it.
      $0.budgets[.friendsPerPerson] = 4 * Self.count
    } _: { server in
      let ana = try await RunningPerson(signingUp: "ana", on: server)
      await ana.end()
      var plan = MissionDatabase.Plan()
      (plan.friends, plan.strangers, plan.missionsOfEachFriend) = (count, 1, 0)
      (plan.missions, plan.lines, plan.talkedAbout) = (0, 0, 0)
      try MissionDatabase(path: folder.file("rally.db"), person: ana.userID, plan: plan).fill()
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await ana.restart()
      var costs = Costs()
      guard await eventually({ ana.stores.social.friends.count == count }) else {
        throw BenchFailure("\(ana.stores.social.friends.count) of \(count) friends came")
      }
      var known = -1
      while known != ana.requests.count {
        known = ana.requests.count
        try? await Task.sleep(for: .seconds(2))
      }
      costs.startRequests = known
      ana.running.tabChanged(to: .friends)
      ana.forget()
      costs.event = try await costOfEvents(from: ben, to: ana, friends: count)
      // One of each three is her own.
      let others = ana.requests.filter { !$0.contains("respond_to_friend_request") }
      costs.actRequests = others.count
      if !others.isEmpty { progress("  \(others.joined(separator: ", "))") }
      let before = Self.processor
      for _ in 0..<3 { await ana.stores.social.refreshAll(mode: .refresh) }
      costs.refresh = (Self.processor - before) / 3
      if count == Self.count {
        var askers: [TestPerson] = []
        for number in 0..<Self.askers {
          askers.append(try await TestPerson(signingUp: "asker\(number)", on: server))
        }
        costs.stream = try await stream(of: askers, to: ana)
        ana.gate.loseEmbedded()
        costs.hints = try await stream(of: askers, to: ana)
        ana.gate.loseEmbedded(false)
      }
      await ana.end()
      return costs
    }
  }

  /// The processor time of one: somebody asks, is accepted, and ends it, again and again.
  private func costOfEvents(
    from ben: TestPerson, to ana: RunningPerson, friends count: Int
  ) async throws -> Duration {
    let begin = Self.processor
    for _ in 0..<Self.acts {
      try await ben.friendsService.requestFriend(userID: ana.userID)
      _ = await eventually { !ana.stores.social.incomingRequests.isEmpty }
      try await ana.services.friendsService.respondToFriendRequest(
        userID: ben.userID, accept: true)
      _ = await eventually { ana.stores.social.friends.count == count + 1 }
      try await ben.friendsService.removeFriend(userID: ana.userID)
      _ = await eventually { ana.stores.social.friends.count == count }
    }
    return (Self.processor - begin) / (3 * Self.acts)
  }

  /// Each asks and withdraws, again and again.
  private func stream(of askers: [TestPerson], to ana: RunningPerson) async throws -> Stream {
    progress("\(Int(Self.rate)) events a second among \(Self.count) friends")
    let (me, burst) = (ana.userID, Self.burst)
    let pause = Duration.seconds(Double(askers.count) / Self.rate)
    ana.forget()
    let (start, all) = (ContinuousClock.now, Self.processor)
    let calls = try await withThrowingTaskGroup(of: Int.self) { group in
      for asker in askers {
        group.addTask {
          var calls = 0
          var due = start
          while ContinuousClock.now - start < burst {
            try await asker.friendsService.requestFriend(userID: me)
            due += pause
            try await Task.sleep(until: due, clock: .continuous)
            try await asker.friendsService.cancelFriendRequest(userID: me)
            due += pause
            try await Task.sleep(until: due, clock: .continuous)
            calls += 2
          }
          return calls
        }
      }
      var all = 0
      for try await calls in group { all += calls }
      return all
    }
    _ = await eventually { ana.stores.social.incomingRequests.isEmpty }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return Stream(
      rate: Double(calls) / seconds, requests: ana.requests.count,
      all: (Self.processor - all) / seconds)
  }

  /// The processor time of this process.
  private static var processor: Duration {
    .seconds(Double(clock()) / Double(CLOCKS_PER_SEC))
  }
}
