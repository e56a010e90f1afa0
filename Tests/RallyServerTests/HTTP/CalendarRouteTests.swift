import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

/// A calendar program at a private address, which knows the address and nothing else.
@Suite(.everyEngine) struct CalendarRouteTests {
  private struct Scene {
    let server: TestServer
    let ana, ben: Person

    /// What anybody gets who knows a path.
    func read(
      _ path: String, headers: [String: String] = [:], head: Bool = false
    ) async throws -> RawClient.Reply {
      var headers = headers
      (headers["apikey"], headers["authorization"]) = ("", "")
      return try await RawClient(server).send(head ? .HEAD : .GET, path, headers: headers)
    }

    func text(_ path: String) async throws -> String {
      let reply = try await read(path)
      #expect(reply.status == 200)
      return String(decoding: reply.body, as: UTF8.self)
    }

    func makeAddress(of person: Person) async throws -> String {
      let secret = AccessSecret.sample()
      _ = try await person.result(of: MakeCalendarAddress(secret: secret))
      return CalendarAddressRecord.path(secret)
    }

    /// A run of Ben's, in Berlin every week, with Ana in it.
    func run(_ title: String = "Run") async throws -> MissionRecord {
      var call = CreateMission.sample(
        title, startsAt: .now.advanced(by: .seconds(3600)),
        endsAt: .now.advanced(by: .seconds(7200)), visibility: .invited)
      (call.repeats, call.timeZone) = (.weekly, "Europe/Berlin")
      let mission = try await ben.result(of: call)
      _ = try await ben.result(of: InviteToMission(missionID: mission.id, userIDs: [ana.id]))
      return try await ana.result(of: JoinMission(missionID: mission.id))
    }
  }

  private func scene(
    budgets: Budgets = .withoutRates, _ body: (Scene) async throws -> Void
  ) async throws {
    try await TestServer.with(configure: { $0.budgets = budgets }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      try await ana.befriend(ben)
      try await body(Scene(server: server, ana: ana, ben: ben))
    }
  }

  @Test(.acrossNodes) func `an address has its owner's missions, and no one's name`() async throws {
    try await scene { scene in
      let mission = try await scene.run("Run; now,\\")
      _ = try await scene.ben.result(of: CreateMission.sample("Ben's own", visibility: .private))
      let path = try await scene.makeAddress(of: scene.ana)
      let reply = try await scene.read(path)
      #expect(reply.status == 200)
      #expect(reply.headers.first(name: "content-type") == "text/calendar; charset=utf-8")
      #expect(reply.headers.first(name: "cache-control") == "private, no-cache")
      let text = String(decoding: reply.body, as: UTF8.self)
      #expect(text.contains("UID:\(mission.id.wireText)@rally\r\n"))
      #expect(text.contains("SUMMARY:Run\\; now\\,\\\\\r\n"))
      #expect(text.contains("DTSTART;TZID=Europe/Berlin:"))
      #expect(text.contains("RRULE:FREQ=WEEKLY\r\n"))
      for secret in ["ana", "ben", "example.org", "Ben"] {
        #expect(!text.lowercased().contains(secret.lowercased()), "\(secret)")
      }
      let head = try await scene.read(path, head: true)
      #expect(head.status == 200 && head.body.isEmpty)
    }
  }

  @Test(.acrossNodes) func `what has not changed is not sent again`() async throws {
    try await scene { scene in
      _ = try await scene.run()
      let path = try await scene.makeAddress(of: scene.ana)
      let tag = try #require(try await scene.read(path).headers.first(name: "etag"))
      for known in [tag, "\"other\", \(tag)", "*", tag.replacing("W/", with: "")] {
        let again = try await scene.read(path, headers: ["If-None-Match": known])
        #expect(again.status == 304 && again.body.isEmpty, "\(known)")
        #expect(again.headers.first(name: "etag") == tag)
      }
      #expect(try await scene.read(path, headers: ["If-None-Match": "\"other\""]).status == 200)
      _ = try await scene.run("Swim")
      let changed = try await scene.read(path, headers: ["If-None-Match": tag])
      #expect(changed.status == 200)
      #expect(changed.headers.first(name: "etag") != tag)
    }
  }

  @Test(.acrossNodes) func `leaving, a block and a cancellation are seen there too`() async throws {
    try await scene { scene in
      let (left, invited, cancelled) = (
        try await scene.run("Left"), try await scene.ben.result(of: CreateMission.sample("Asked")),
        try await scene.run("Off")
      )
      _ = try await scene.ben.result(
        of: InviteToMission(missionID: invited.id, userIDs: [scene.ana.id]))
      let path = try await scene.makeAddress(of: scene.ana)
      let before = try await scene.text(path)
      #expect(before.contains("SUMMARY:Left") && before.contains("SUMMARY:Asked"))
      #expect(before.contains("STATUS:TENTATIVE"))
      _ = try await scene.ana.result(of: LeaveMission(missionID: left.id))
      _ = try await scene.ben.result(of: CancelMission(missionID: cancelled.id))
      let after = try await scene.text(path)
      #expect(!after.contains("SUMMARY:Left"))
      #expect(after.contains("STATUS:CANCELLED"))
      _ = try await scene.ana.result(of: BlockUser(userID: scene.ben.id))
      #expect(!(try await scene.text(path)).contains("SUMMARY:Asked"))
    }
  }

  @Test(.acrossNodes) func `one is not told whether an address ever was`() async throws {
    try await scene { scene in
      let path = try await scene.makeAddress(of: scene.ana)
      #expect(try await scene.ana.result(of: FetchCalendarAddress()).count == 1)
      #expect(try await scene.ben.result(of: FetchCalendarAddress()).isEmpty)
      _ = try await scene.ben.result(of: RevokeCalendarAddress())
      #expect(try await scene.read(path).status == 200)
      _ = try await scene.ana.result(of: RevokeCalendarAddress())
      let revoked = try await scene.read(path)
      #expect(revoked.status == 404)
      for other in [
        CalendarAddressRecord.path(.sample()), "/calendar/x.ics", "/calendar/.ics",
        String(path.dropLast(4)), path + ".ics", path.uppercased().replacing("/CAL", with: "/cal"),
      ] {
        let reply = try await scene.read(other)
        #expect(reply.status == 404 && reply.body == revoked.body, "\(other)")
        #expect(reply.headers.first(name: "etag") == nil)
      }
      // Another one may follow.
      let next = try await scene.makeAddress(of: scene.ana)
      #expect(try await scene.read(next).status == 200)
    }
  }

  @Test func `there is one address at a time, and its secret is stored nowhere`() async throws {
    let world = try await ServerWorld(members: 2, at: ServerWorld.noon)
    let secret = AccessSecret.sample()
    let call = FunctionCall(MakeCalendarAddress(secret: secret), clientID: UUID())
    let answer = try await world.call(call, as: 0)
    #expect(try await world.call(call, as: 0) == answer)
    #expect(
      try await world.refusal(of: MakeCalendarAddress(secret: .sample()), as: 0)
        == "invalid_argument")
    #expect(
      try await world.refusal(of: MakeCalendarAddress(secret: secret), as: 1)
        == "invalid_argument")
    var wrong = call
    (wrong.function.secret, wrong.clientID) = ("short", nil)
    #expect(try await world.refusal(of: wrong, as: 1) == "invalid_argument")
    let stored = try await world.storage.read { database in
      try database.tables().flatMap { table in
        try Row.fetchAll(database, sql: "SELECT * FROM \(table)").map(\.description)
      }.joined(separator: "\n")
    }
    #expect(stored.contains(secret.digest))
    #expect(!(stored + answer).contains(secret.value))
  }

  @Test func `a disabled or deleted account has none`() async throws {
    let world = try await ServerWorld(members: 1, at: ServerWorld.noon)
    let secret = AccessSecret.sample()
    try await world.call(MakeCalendarAddress(secret: secret), as: 0)
    func isFound() async throws -> Bool {
      try await world.storage.read {
        try CalendarAddressRecords.find(secretHash: secret.digest, in: $0) != nil
      }
    }
    #expect(try await isFound())
    let id = world.members[0].caller.userID
    try await world.storage.write {
      try $0.execute(sql: "UPDATE users SET is_banned = 1 WHERE id = ?", arguments: [id])
    }
    #expect(try await !isFound())
    try await world.storage.write { database in
      try database.execute(sql: "UPDATE users SET is_banned = 0 WHERE id = ?", arguments: [id])
      _ = try AccountDeletion.delete(id, at: .now, in: database)
    }
    #expect(try await !isFound())
  }

  @Test(.acrossNodes)
  func `an address is read so often, and unknown ones count where they are tried`()
    async throws
  {
    try await scene(budgets: Budgets([.calendarReadsPerPerson: 2, .peoplePerAddress: 2])) { scene in
      let path = try await scene.makeAddress(of: scene.ana)
      var statuses: [Int] = []
      for _ in 0..<3 { statuses.append(try await scene.read(path).status) }
      #expect(statuses == [200, 200, 429])
      #expect(try await scene.read(path).headers.first(name: "retry-after") != nil)
      statuses = []
      for _ in 0..<3 {
        statuses.append(try await scene.read(CalendarAddressRecord.path(.sample())).status)
      }
      #expect(statuses == [404, 404, 429])
    }
  }
}
