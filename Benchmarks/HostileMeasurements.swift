import Foundation
import RallyStorage
import RallyTestSupport
import RallyWire
import Synchronization

/// The largest bodies, in the shapes that cost a parser most, to every route, from a stranger and
/// from somebody with an account: what one costs the server's processor, and how long somebody else
/// waits for an answer meanwhile.
struct HostileMeasurements {
  /// What one body costs while nobody else asks for anything, and the longest wait of another person
  /// while it is sent.
  private struct Cost {
    var route: String
    var shape: String
    var processor = Duration.zero
    var wait = Duration.zero

    var title: String { "\(shape) to \(route)" }
  }

  private struct Route {
    var path: String
    var method = "POST"
    /// Where in the body the shape stands; nil for the whole of it.
    var parameter: String?
    /// The whole `Authorization` of somebody whom the server knows; nil for a session.
    var authorization: String?
    /// What only somebody known has, at the end of the path.
    var secret = ""

    var title: String { "\(method == "POST" ? "" : "\(method) ")\(path) \(parameter ?? "")" }
  }

  func measure(into table: inout ResultTable) async throws {
    try await measure("SQLite", BenchmarkServer(size: 2, friends: 2), into: &table)
    let postgres = try PostgresFixture()
    let address = try postgres.database().description
    try await measure(
      "PostgreSQL", BenchmarkServer(size: 2, friends: 2, database: address), into: &table)
    withExtendedLifetime(postgres) {}
  }

  private func measure(
    _ engine: String, _ server: BenchmarkServer, into table: inout ResultTable
  ) throws {
    let watched = server.users[0]
    let hostile = server.users[1]
    let routes = try Self.routes(known: hostile, at: server)
    // What the machine alone makes somebody wait.
    let idle = try Self.longestWait(of: watched, at: server) { Thread.sleep(forTimeInterval: 5) }
    table.add(engine, "the longest wait in 5 s in which nothing is sent", idle)
    for isKnown in [false, true] {
      let sender = isKnown ? "somebody known" : "a stranger"
      progress("bodies of \(sender) to \(routes.count) routes on \(engine)")
      var costs: [Cost] = []
      for route in routes {
        for shape in HostileShape.all {
          let body = shape.body(in: route.parameter)
          var cost = Cost(route: route.title, shape: shape.name)
          let send = { try self.send(body, to: route, of: isKnown ? hostile : nil, at: server) }
          cost.processor = try Self.least(under: .milliseconds(20)) {
            let before = ProcessFigures(of: server.process.processID)?.processor ?? .zero
            try send()
            return (ProcessFigures(of: server.process.processID)?.processor ?? .zero) - before
          }
          cost.wait = try Self.least(under: .milliseconds(50)) {
            try Self.longestWait(of: watched, at: server, during: send)
          }
          costs.append(cost)
        }
      }
      let dearest = costs.max { $0.processor < $1.processor }
      let slowest = costs.max { $0.wait < $1.wait }
      let braces = costs.filter { $0.shape == HostileShape.braces }.map(\.processor).max()
      table.add(engine, "\(costs.count) bodies of \(sender): 1 MiB of {}", braces, target: 20)
      table.add(
        engine, "the dearest of \(sender): \(dearest?.title ?? "")", dearest?.processor,
        target: isKnown ? nil : 20)
      table.add(
        engine, "the longest wait of another: \(slowest?.title ?? "")", slowest?.wait, target: 50)
    }
  }

  /// The least of three measurements, or the first under a goal: what else goes on on the machine is
  /// no cost of the body.
  private static func least(under goal: Duration, _ measure: () throws -> Duration) rethrows
    -> Duration
  {
    var least = try measure()
    for _ in 0..<2 where least > goal { least = min(least, try measure()) }
    return least
  }

  /// Sends one body; whatever the answer is, or that there is none, is fine.
  private func send(
    _ body: Data, to route: Route, of person: BenchmarkServer.Person?, at server: BenchmarkServer
  ) throws {
    let connection = try HTTPConnection(port: server.port, key: server.announcement.key)
    connection.token = person?.connection.token
    connection.authorization = person == nil ? nil : route.authorization
    let path = route.path + (person == nil ? "" : route.secret)
    _ = try? connection.send(route.method, path, body)
  }

  /// The longest wait for a short answer between the start and the end of some work.
  private static func longestWait(
    of person: BenchmarkServer.Person, at server: BenchmarkServer, during work: () throws -> Void
  ) throws -> Duration {
    // One thread uses its connection until the group is over.
    nonisolated(unsafe) let person = person
    let isOver = Atomic(false)
    let longest = Mutex(Duration.zero)
    let group = DispatchGroup()
    let started = DispatchSemaphore(value: 0)
    DispatchQueue(label: "bench.hostile.other").async(group: group) {
      var asked = 0
      while !isOver.load(ordering: .relaxed) || asked == 0 {
        let start = ContinuousClock.now
        _ = try? server.call(FetchPrivacyRules(), as: person)
        longest.withLock { $0 = max($0, start.duration(to: .now)) }
        asked += 1
        if asked == 1 { started.signal() }
      }
    }
    started.wait()
    longest.withLock { $0 = .zero }
    let result = Result(catching: work)
    isOver.store(true, ordering: .relaxed)
    group.wait()
    try result.get()
    return longest.withLock { $0 }
  }

  // MARK: Routes

  private static func routes(
    known person: BenchmarkServer.Person, at server: BenchmarkServer
  ) throws -> [Route] {
    var routes = [
      "signup", "token?grant_type=password", "token?grant_type=refresh_token", "recover",
    ]
    .map { Route(path: "/auth/v1/\($0)") }
    routes += [
      Route(path: "/auth/v1/user", method: "PUT"), Route(path: "/auth/v1/user", method: "DELETE"),
      Route(path: "/w/AAAAAAAAAAAAAAAA"),
      Route(path: "/w/AAAAAAAAAAAAAAAA", method: "DELETE"),
      Route(path: "/rest/v1/rpc/fetch_friends", method: "PUT"),
      Route(path: "/rest/v1/profiles", method: "PATCH"),
      Route(path: SSHDoorPath.ticket), Route(path: SSHDoorPath.session),
      Route(path: "/realtime/v1/api/broadcast"),
      Route(path: "/realtime/v1/api/broadcast/a/events/b"), Route(path: InvitationQuestion.path),
      Route(path: "/rest/v1/profiles"), Route(path: "/rest/v1/rpc/unknown"),
      Route(path: "/nothing/here"),
    ]
    // A body belongs to none of these, and is sent all the same.
    routes += [
      "/auth/v1/user", "/auth/v1/settings", "/auth/v1/health", "/health", "/w",
      "/w/AAAAAAAAAAAAAAAA", "/rest/v1/profiles", "/rest/v1/rpc/fetch_friends",
      "/calendar/unknown.ics", StreetsOffer.path, RealtimeTopic.path, InvitationQuestion.path,
      PhoneApp.traccar.path,
    ].map { Route(path: $0, method: "GET") }
    for app in PhoneApp.allCases {
      guard let secret = AccessSecret(randomBytes: (0..<24).map { _ in UInt8.random(in: 0...255) })
      else { throw BenchFailure("no secret") }
      try server.call(
        AddPhone(phoneID: UUID(), app: app, name: "\(app)", secret: secret), as: person)
      let basic = Data("phone:\(secret.value)".utf8).base64EncodedString()
      routes.append(
        Route(
          path: app.path,
          authorization: app == .overland ? "Bearer \(secret.value)" : "Basic \(basic)"))
      routes.append(Route(path: "\(app.path)?id=", secret: secret.value))
    }
    for function in HostileShape.functions {
      let parameters = function.parameters.filter { $0 != "p_client_id" }
      routes += ([nil] + parameters.map(Optional.some)).map {
        Route(path: "/rest/v1/rpc/\(function.name)", parameter: $0)
      }
    }
    // The last one: it ends the session.
    routes.append(Route(path: "/auth/v1/logout"))
    return routes
  }
}

/// A body of 1 MiB that costs a parser much.
private struct HostileShape {
  var name: String
  var start = ""
  var repeated: String
  var end = ""

  static let size = 1 << 20
  static let braces = "{}"

  static let all = [
    HostileShape(name: "no JSON", repeated: "a"),
    HostileShape(name: "blanks", repeated: " "),
    HostileShape(name: braces, start: "[", repeated: "{},", end: "{}]"),
    HostileShape(name: "arrays in arrays", repeated: "["),
    HostileShape(name: "objects in objects", repeated: #"{"a":"#),
    HostileShape(name: "one key", start: "{", repeated: #""a":0,"#, end: #""a":0}"#),
    HostileShape(name: "digits", repeated: "1"),
    HostileShape(name: "numbers", start: "[", repeated: "1e308,", end: "0]"),
    HostileShape(name: "escapes", start: "\"", repeated: #"\u0041"#, end: "\""),
    HostileShape(name: "half emoji", start: "\"", repeated: #"\ud83d"#, end: "\""),
    HostileShape(name: "strings", start: "[", repeated: #""","#, end: #"""]"#),
    HostileShape(name: "fields", repeated: "a=b&"),
  ]

  /// - Parameter parameter: The one argument whose value this is; nil for the whole body.
  func body(in parameter: String?) -> Data {
    let before = (parameter.map { #"{"\#($0)":"# } ?? "") + start
    let after = end + (parameter == nil ? "" : "}")
    let room = max(0, Self.size - before.utf8.count - after.utf8.count)
    return Data(
      (before + String(repeating: repeated, count: room / repeated.utf8.count) + after).utf8)
  }

  static let functions: [any RemoteFunction.Type] = [
    FetchFriends.self, SearchPeople.self, FetchFriendRequests.self, FetchFriendshipStatus.self,
    FetchBlockedUsers.self, RequestFriend.self, CancelFriendRequest.self, RemoveFriend.self,
    BlockUser.self, UnblockUser.self, RespondToFriendRequest.self, PublishLocations.self,
    FetchFriendLocations.self, SetLocationSharing.self, SetGhost.self, FetchLocationSharing.self,
    MakeCalendarAddress.self, FetchCalendarAddress.self, RevokeCalendarAddress.self, CatchUp.self,
    MakeWatchLink.self, FeedWatchLink.self, EndWatchLinks.self, FetchWatchLinks.self,
    AskLocation.self, CloseLocationAsk.self, FetchLocationAsks.self, CreateMission.self,
    UpdateMission.self, CancelMission.self, CompleteMission.self, SkipOccurrence.self,
    JoinMission.self, LeaveMission.self, FetchMission.self, FetchMissions.self,
    InviteToMission.self, CheckIn.self, FetchMissionActivity.self, SayInMission.self,
    AddSSHKey.self, FetchSSHKeys.self, RemoveSSHKey.self, CreateInvitation.self,
    FetchInvitations.self, FetchInvitation.self, AcceptInvitation.self, RevokeInvitation.self,
    SetPrivacyRules.self, FetchPrivacyRules.self, WithdrawLocation.self, FetchProfiles.self,
    UpdateProfile.self, BeginOnMyWay.self, EndOnMyWay.self, FetchComing.self, AddPhone.self,
    FetchPhones.self, RevokePhone.self,
  ]
}
