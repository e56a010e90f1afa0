import Foundation
import RallyClient
import RallyDomain
import RallyServer
import RallyTestSupport
import RallyWire

/// Counts what a start and a friend's act cost a client with ten thousand friends, beside one with few.
@MainActor
struct ManyFriendsMeasurements {
  private static let count = 10_000
  private static let acts = 20

  private struct Costs {
    var startRequests = 0
    var actRequests = 0
    /// Processor time of the main thread for one event.
    var event = Duration.zero
    /// The same for reading all lists anew, as each event did.
    var refresh = Duration.zero
  }

  func measure(into table: inout ResultTable) async throws {
    progress("a friend's act among \(Self.count) friends")
    let few = try await costs(friends: 10)
    let many = try await costs(friends: Self.count)
    let subject = "client, 10,000 friends"
    table.add(subject, "requests of a start", Double(many.startRequests), "requests", target: 40)
    table.add(
      subject, "requests of a friend's act", Double(many.actRequests), "requests", target: 0)
    table.add(subject, "main thread, a friend's act", many.event)
    table.add(subject, "the same, of an act with 10 friends", many.event / few.event, "x")
    table.add(
      subject, "the same, of reading the lists anew", many.event / many.refresh, "x", target: 0.2)
  }

  private func costs(friends count: Int) async throws -> Costs {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    return try await TestServer.with {
      $0.database = .folder(folder.path)
      $0.budgets[.friendsPerPerson] = 2 * Self.count
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
      try? await Task.sleep(for: .seconds(2))
      costs.startRequests = ana.requests.count
      ana.running.tabChanged(to: .friends)
      ana.forget()
      let begin = Self.mainThread
      for _ in 0..<Self.acts {
        try await ben.friendsService.requestFriend(userID: ana.userID)
        _ = await eventually { !ana.stores.social.incomingRequests.isEmpty }
        try await ana.services.friendsService.respondToFriendRequest(
          userID: ben.userID, accept: true)
        _ = await eventually { ana.stores.social.friends.count == count + 1 }
        try await ben.friendsService.removeFriend(userID: ana.userID)
        _ = await eventually { ana.stores.social.friends.count == count }
      }
      costs.event = (Self.mainThread - begin) / (3 * Self.acts)
      // One of each three is her own.
      costs.actRequests = ana.requests.count { !$0.contains("respond_to_friend_request") }
      let before = Self.mainThread
      for _ in 0..<3 { await ana.stores.social.refreshAll(mode: .refresh) }
      costs.refresh = (Self.mainThread - before) / 3
      await ana.end()
      return costs
    }
  }

  /// The processor time of this thread, which is the main one.
  private static var mainThread: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
