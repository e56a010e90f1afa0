import Foundation
import RallyClient
import RallyDomain
import RallyTestSupport
import RallyWire

/// Measures what somebody else's act costs the running program with ten thousand friends on the screen,
/// beside one with few: its main thread, which takes the event and draws, and all of its threads.
///
/// The server is another process, so that nothing of it is counted.
struct ManyFriendsScreenMeasurements {
  private static let few = 10
  private static let many = 10_000
  /// Of each kind.
  private static let acts = 40
  /// Longer than a frame, so that each event is drawn by itself.
  private static let pause = Duration.milliseconds(100)
  private static let rate = 200.0
  private static let burst = Duration.seconds(10)

  private struct Cost {
    var what: String
    /// Of one event; nil if the program has ended.
    var main: Duration?
    var all: Duration?
  }

  func measure(into table: inout ResultTable) async throws {
    let few = try await costs(friends: Self.few)
    let many = try await costs(friends: Self.many)
    let subject = "rally, 10,000 friends"
    for (few, many) in zip(few.events, many.events) {
      table.add(subject, "\(many.what): main thread", many.main, target: 2)
      table.add(subject, "the same with \(Self.few) friends", few.main)
      table.add(subject, "\(many.what): all threads", many.all)
    }
    table.add(subject, "many events: a second", many.rate, "")
    table.add(subject, "many events: main thread, each", many.stream.main, target: 2)
    table.add(subject, "many events: all threads, a second", many.second)
    table.add(subject, "the same with \(Self.few) friends", few.second)
  }

  private struct Costs {
    var events: [Cost] = []
    var stream = Cost(what: "many events")
    /// Events a second, and the processor time of all threads in a second of them.
    var rate = 0.0
    var second: Duration?
  }

  private func costs(friends count: Int) async throws -> Costs {
    progress("what an event costs the program among \(count) friends")
    let server = try await BenchmarkServer(
      size: 10, friends: 0, options: ["--budget", "friends-per-person=\(4 * Self.many)"])
    let (me, friend, stranger) = (server.measured, server.users[0], server.users[1])
    try server.call(RequestFriend(userID: me.id), as: friend)
    try server.call(RequestFriend(userID: friend.id), as: me)
    var plan = MissionDatabase.Plan()
    (plan.friends, plan.strangers, plan.missionsOfEachFriend) = (count - 1, 1, 0)
    (plan.missions, plan.lines, plan.talkedAbout) = (0, 0, 0)
    try MissionDatabase(path: server.folder.file("server/rally.db"), person: me.id, plan: plan)
      .fill()
    try await server.signIn()
    let probe = try TerminalProbe(
      RallyBinary.required(), server.arguments, environment: server.folder.environment)
    defer {
      kill(probe.processID, SIGTERM)
      probe.read(for: .milliseconds(50))
    }
    guard probe.read(within: .seconds(60), until: { $0.contains("All \(count)") }) != nil else {
      throw BenchFailure("no list of friends:\n\(probe.screen.text)")
    }
    probe.readUntilQuiet(for: .seconds(3))

    var costs = Costs()
    costs.events.append(
      try cost("a request comes or goes", probe) { number in
        if number % 2 == 0 {
          try server.call(RequestFriend(userID: me.id), as: stranger)
        } else {
          try server.call(CancelFriendRequest(userID: me.id), as: stranger)
        }
      })
    // She asks too, so that there is one event for each.
    costs.events.append(
      try cost("a friend comes or goes", probe, eventsEach: 1.5) { number in
        if number % 2 == 0 {
          try server.call(RequestFriend(userID: me.id), as: stranger)
          try server.call(RequestFriend(userID: stranger.id), as: me)
        } else {
          try server.call(RemoveFriend(userID: me.id), as: stranger)
        }
      })
    costs.events.append(
      try cost("a friend's name moves them to the other end", probe) { number in
        try server.call(UpdateProfile(displayName: number % 2 == 0 ? "Aa" : "Zz"), as: friend)
      })
    costs.events.append(try costOfMissions(of: friend, at: server, probe))
    costs.events.append(try await costOfPresence(of: friend, at: server, probe))
    measureStream(server, probe, into: &costs)
    return costs
  }

  private func costOfMissions(
    of friend: BenchmarkServer.Person, at server: BenchmarkServer, _ probe: TerminalProbe
  ) throws -> Cost {
    var mission: UUID?
    return try cost("a friend makes or ends a mission", probe) { number in
      if let made = mission {
        mission = nil
        try server.call(CancelMission(missionID: made), as: friend)
      } else {
        let answer = try server.call(
          CreateMission(
            title: "Fog \(number)", centre: Samples.lisbon, radiusMetres: 50,
            visibility: .friends), as: friend)
        mission = try WireJSON.decode(MissionRecord.self, from: answer).id
      }
    }
  }

  private func measureStream(
    _ server: BenchmarkServer, _ probe: TerminalProbe, into costs: inout Costs
  ) {
    progress("\(Int(Self.rate)) events a second")
    let before = ProcessFigures(of: probe.processID)
    let load = FriendRequestLoad(server, rate: Self.rate)
    probe.read(for: Self.burst)
    let after = ProcessFigures(of: probe.processID)
    costs.rate = load.end()
    probe.readUntilQuiet(for: .seconds(2))
    guard let before, let after else { return }
    let seconds = Self.burst / .seconds(1)
    costs.second = (after.processor - before.processor) / seconds
    costs.stream.main = (after.mainThread - before.mainThread) / (costs.rate * seconds)
  }

  /// - Parameter eventsEach: Of each act, on average.
  private func cost(
    _ what: String, _ probe: TerminalProbe, eventsEach: Double = 1, _ act: (Int) throws -> Void
  ) throws -> Cost {
    progress(what)
    // The first ones build what later ones change.
    for number in 0..<4 { try act(number) }
    probe.readUntilQuiet(for: .seconds(2))
    let before = ProcessFigures(of: probe.processID)
    for number in 0..<Self.acts {
      try act(number)
      probe.read(for: Self.pause)
    }
    probe.readUntilQuiet(for: .seconds(1))
    guard let before, let after = ProcessFigures(of: probe.processID) else {
      return Cost(what: what)
    }
    let count = Double(Self.acts) * eventsEach
    return Cost(
      what: what, main: (after.mainThread - before.mainThread) / count,
      all: (after.processor - before.processor) / count)
  }

  /// A friend comes online and goes, again and again.
  private func costOfPresence(
    of friend: BenchmarkServer.Person, at server: BenchmarkServer, _ probe: TerminalProbe
  ) async throws -> Cost {
    let link = try await Transport.live.openSocket(
      SocketCall(
        endpoint: .url(try ServerURL(server.announcement.url)),
        path: "\(RealtimeTopic.path)?apikey=\(server.announcement.key)&vsn=1.0.0"))
    let reading = Task { for await _ in link.incoming {} }
    defer {
      reading.cancel()
      link.close()
    }
    link.send(
      #"{"topic":"realtime:presence","event":"phx_join","ref":"1","join_ref":"1","payload":"#
        + #"{"config":{"presence":{"enabled":true},"postgres_changes":[]},"access_token":"#
        + #""\#(friend.connection.token ?? "")"}}"#)
    return try cost("a friend comes online or goes", probe) { number in
      let act = number % 2 == 0 ? "track" : "untrack"
      link.send(
        #"{"topic":"realtime:presence","event":"presence","ref":"2","join_ref":"1","payload":"#
          + #"{"type":"presence","event":"\#(act)","payload":{}}}"#)
    }
  }
}
