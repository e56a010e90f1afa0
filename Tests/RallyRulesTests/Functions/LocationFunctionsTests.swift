import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@Suite(.everyEngine, .acrossNodes) struct LocationFunctionsTests {
  private func friends(
    _ body: (TestServer, Person, Person) async throws -> Void
  ) async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      try await ana.befriend(ben)
      try await body(server, ana, ben)
    }
  }

  // MARK: - What a reader gets

  @Test func `a new account shares nothing`() async throws {
    try await friends { _, ana, ben in
      try await ana.publish(.sample())
      #expect(try await ben.result(of: FetchFriendLocations()).isEmpty)
      #expect(
        try await ana.result(of: FetchLocationSharing()).map(\.mode) == [.off, .off])
    }
  }

  @Test func `a precise friend sees all of it`() async throws {
    try await friends { _, ana, ben in
      try await ana.share(.precise)
      let report = LocationReport.sample()
      try await ana.publish(report)
      let seen = try #require(try await ben.location(of: ana))
      #expect(seen.coordinate == .lisbon)
      #expect(seen.accuracyMetres == 12)
      #expect(seen.speed == 1.5)
      #expect(seen.course == 90)
      #expect(seen.battery == 80)
      #expect(seen.recordedAt == report.recordedAt)
      #expect(seen.source == "gps")
      #expect(seen.precision == .precise)
      #expect(seen.version == 1)
      #expect(try await ana.result(of: FetchFriendLocations()).isEmpty)
    }
  }

  @Test(arguments: [SharingMode.approximate1km, .approximate10km])
  func `a coarse friend sees the middle of a cell and nothing else`(
    _ mode: SharingMode
  ) async throws {
    try await friends { server, ana, ben in
      let cleo = try await Person.signUp("cleo", on: server)
      try await ana.befriend(cleo)
      try await ana.share(.precise, with: cleo)
      try await ana.share(mode)
      let report = LocationReport.sample()
      try await ana.publish(report)
      let level = try #require(mode.gridLevel)
      let seen = try #require(try await ben.location(of: ana))
      #expect(seen.coordinate == GridCell(containing: .lisbon, level: level).center)
      #expect(seen.accuracyMetres == level.accuracyMetres)
      #expect(seen.speed == nil && seen.course == nil && seen.battery == nil)
      #expect(seen.recordedAt == report.recordedAt.quarterHour)
      #expect(seen.source == "approximate")
      #expect(seen.precision == mode)

      try await ana.publish(.sample(.acrossTheStreet))
      #expect(try await ben.location(of: ana) == seen)
      #expect(try await cleo.location(of: ana)?.coordinate == .acrossTheStreet)
      try await ana.publish(.sample(.porto))
      let moved = try #require(try await ben.location(of: ana))
      #expect(moved.coordinate == GridCell(containing: .porto, level: level).center)
      #expect(moved.version == seen.version + 1)
    }
  }

  @Test func `since compares with the time that the reader sees`() async throws {
    try await friends { server, ana, ben in
      let cleo = try await Person.signUp("cleo", on: server)
      try await ana.befriend(cleo)
      try await ana.share(.precise, with: cleo)
      try await ana.share(.approximate10km, with: ben)
      let report = LocationReport.sample(
        at: WireTime.now.quarterHour.advanced(by: .seconds(-1)))
      try await ana.publish(report)
      let quarter = report.recordedAt.quarterHour
      let later = quarter.advanced(by: .seconds(1))
      #expect(try await ben.result(of: FetchFriendLocations(since: later)).isEmpty)
      #expect(try await ben.result(of: FetchFriendLocations(since: quarter)).isEmpty)
      let before = quarter.advanced(by: .microseconds(-1))
      #expect(try await ben.result(of: FetchFriendLocations(since: before)).count == 1)
      #expect(try await cleo.result(of: FetchFriendLocations(since: later)).count == 1)
      #expect(
        try await cleo.result(of: FetchFriendLocations(since: report.recordedAt)).isEmpty)
    }
  }

  @Test func `a report that was cut before it was sent is never shown finer`() async throws {
    try await friends { _, ana, ben in
      try await ana.share(.precise)
      try await ana.publish(.sample(precision: .approximate10km))
      let seen = try #require(try await ben.location(of: ana))
      #expect(seen.precision == .approximate10km)
      #expect(seen.coordinate == GridCell(containing: .lisbon, level: .tenKilometres).center)
    }
  }

  @Test func `whoever is no friend gets nothing by any way`() async throws {
    try await friends { server, ana, ben in
      let eve = try await Person.signUp("eve", on: server)
      _ = try await eve.result(of: RequestFriend(userID: ana.id))
      try await ana.share(.precise)
      let probes = (
        try await RealtimeProbe.connect(server), try await RealtimeProbe.connect(server)
      )
      try await probes.0.listen(token: eve.session.accessToken, table: "locations")
      try await probes.1.join(
        "realtime:locations", token: server.key,
        bindings: [["event": "*", "schema": "public", "table": "locations"]])
      try await ana.publish(.sample())
      #expect(try await ben.location(of: ana) != nil)
      #expect(try await eve.result(of: FetchFriendLocations()).isEmpty)
      #expect(try await eve.result(of: FetchLocationSharing()).count == 1)
      let table = "/rest/v1/locations?select=*"
      #expect(try await eve.client.send(.GET, table).json == [])
      #expect(try await RawClient(server).send(.GET, table).status == 401)
      #expect(try await RawClient(server).call(FetchFriendLocations()).status == 401)
      #expect(try await RawClient(server).call(FetchLocationSharing()).status == 401)
      try await ana.publish(.sample(.porto))
      #expect(try await probes.0.drain().isEmpty)
      #expect(try await probes.1.drain().isEmpty)
      try await probes.0.close()
      try await probes.1.close()
    }
  }

  @Test(.oneNode("one log is read"))
  func `no position is ever logged`() async throws {
    let log = LogCapture()
    let server = try await TestServer.start(logger: log.logger)
    let ana = try await Person.signUp("ana", on: server)
    let ben = try await Person.signUp("ben", on: server)
    try await ana.befriend(ben)
    try await ana.share(.precise)
    let probe = try await RealtimeProbe.connect(server)
    try await probe.listen(token: ben.session.accessToken, table: "locations")
    try await ana.publish(.sample())
    _ = try await probe.next(.postgresChanges)
    var wrong = LocationReport.sample()
    wrong.battery = 101
    let refused = try await ana.client.call(PublishLocations(locations: [wrong]))
    #expect(refused.status == 400)
    let text = String(decoding: refused.body, as: UTF8.self)
    #expect(!text.contains("38.7") && !text.contains("101"))
    _ = try await ana.client.send(
      .GET, "/rest/v1/rpc/publish_locations?p_locations=38.7223,-9.1393")
    try await probe.close()
    try await server.stop()
    #expect(!log.text.isEmpty)
    #expect(!log.text.contains("38.7"))
  }

  // MARK: - Publishing

  @Test func `the newest of many reports stays and an older one is ignored`() async throws {
    try await friends { _, ana, ben in
      try await ana.share(.precise)
      let now = WireTime.now
      try await ana.publish(
        .sample(.porto, at: now.advanced(by: .seconds(-20))), .sample(.lisbon, at: now),
        .sample(.downtown, at: now.advanced(by: .seconds(-10))))
      let seen = try await ben.location(of: ana)
      #expect(seen?.coordinate == .lisbon)
      try await ana.publish(.sample(.porto, at: now.advanced(by: .seconds(-5))))
      #expect(try await ben.location(of: ana) == seen)
      try await ana.publish()
      #expect(try await ben.location(of: ana) == seen)
    }
  }

  @Test(
    arguments: [
      ["latitude": .number(90.5)], ["longitude": -181], ["accuracy_m": -1], ["speed": -1],
      ["course": 360], ["battery": 101], ["source": ""], ["source": "a b"],
      ["precision": "off"], ["recorded_at": "2999-01-01T00:00:00+00:00"],
    ] as [JSONValue])
  func `what cannot be is refused and nothing of it is kept`(_ wrong: JSONValue) async throws {
    try await friends { _, ana, ben in
      try await ana.share(.precise)
      var report = try #require(try JSONValue(encoding: LocationReport.sample()).object)
      report.merge(wrong.object ?? [:]) { _, new in new }
      let good = try JSONValue(
        encoding: LocationReport.sample(.porto, at: WireTime.now.advanced(by: .seconds(-9))))
      let reply = try await ana.client.send(
        .POST, "/rest/v1/rpc/publish_locations",
        ["p_locations": .array([good, .object(report)])])
      #expect(reply.status == 400)
      #expect(reply.json.object?.keys.sorted() == ["code", "details", "hint", "message"])
      #expect(reply.json["hint"] == "invalid_argument")
      #expect(reply.json["message"]?.string?.hasPrefix("Position 2 was refused: ") == true)
      #expect(try await ben.location(of: ana) == nil)
    }
  }

  @Test func `a clock that is a little ahead is accepted, too many reports are not`() async throws {
    try await friends { _, ana, ben in
      try await ana.share(.precise)
      try await ana.publish(.sample(at: WireTime.now.advanced(by: .seconds(60))))
      #expect(try await ben.location(of: ana) != nil)
      let many = PublishLocations(locations: Array(repeating: .sample(), count: 101))
      #expect(try await ana.refusal(of: many) == "invalid_argument")
    }
  }

  @Test func `a clock that is ahead shuts out no later report`() async throws {
    try await friends { _, ana, ben in
      try await ana.share(.precise)
      try await ana.publish(.sample(.downtown, at: WireTime.now.advanced(by: .seconds(100))))
      try await ana.publish(.sample(.lisbon, at: .now))
      #expect(try await ben.location(of: ana)?.coordinate == .lisbon)
    }
  }

  @Test func `a late repeat does not bring back what was removed`() async throws {
    try await friends { _, ana, ben in
      let (id, report) = (UUID(), LocationReport.sample())
      try await ana.share(.precise)
      try await ana.publish(report, clientID: id)
      try await ana.share(.off)
      try await ana.share(.precise)
      #expect(try await ben.location(of: ana) == nil)
      try await ana.publish(report, clientID: id)
      #expect(try await ben.location(of: ana) == nil)
    }
  }

  // MARK: - Sharing

  @Test func `the list of sharing shows what each friend would fetch`() async throws {
    try await friends { server, ana, ben in
      let cleo = try await Person.signUp("cleo", on: server)
      try await ana.befriend(cleo)
      let until = WireTime.now.advanced(by: .seconds(3600))
      try await ana.share(.approximate10km)
      try await ana.share(.precise, with: cleo, until: until)
      try await ana.publish(.sample())
      let rows = try await ana.result(of: FetchLocationSharing())
      #expect(rows.map(\.username) == [nil, "ben", "cleo"])
      #expect(rows.map(\.mode) == [.approximate10km, .approximate10km, .precise])
      #expect(rows.map(\.until) == [nil, nil, until])
      #expect(rows.map(\.isDefault) == [true, true, false])
      #expect(rows[0].location == nil)
      #expect(rows[1].location != nil)
      #expect(rows[1].location == (try await ben.location(of: ana)))
      #expect(rows[2].location == (try await cleo.location(of: ana)))
    }
  }

  @Test func `sharing is refused for strangers, oneself, the past and unknown modes`() async throws
  {
    try await friends { server, ana, ben in
      let eve = try await Person.signUp("eve", on: server)
      _ = try await eve.result(of: RequestFriend(userID: ana.id))
      let toEve = try await ana.client.call(SetLocationSharing(userID: eve.id, mode: .precise))
      let toNobody = try await ana.client.call(SetLocationSharing(userID: UUID(), mode: .precise))
      #expect(toEve.status == 400)
      #expect(toEve.json["hint"] == "not_found")
      #expect(toEve.body == toNobody.body)
      #expect(
        try await ana.refusal(of: SetLocationSharing(userID: ana.id, mode: .off)) == "yourself")
      let past = WireTime.now.advanced(by: .seconds(-1))
      #expect(
        try await ana.refusal(of: SetLocationSharing(userID: ben.id, mode: .precise, until: past))
          == "invalid_argument")
      let unknown = try await ana.client.send(
        .POST, "/rest/v1/rpc/set_location_sharing", ["p_user_id": nil, "p_mode": "exact"])
      #expect(unknown.status == 400)
      #expect(unknown.json["hint"] == "invalid_argument")
    }
  }

  @Test func `going off takes the position from those who saw it`() async throws {
    try await friends { _, ana, ben in
      try await ana.share(.precise)
      try await ana.publish(.sample())
      try await ana.share(.off, with: ben)
      #expect(try await ben.location(of: ana) == nil)
      // Nothing was kept: sharing again shows nothing until the next report.
      try await ana.share(.precise, with: ben)
      #expect(try await ben.location(of: ana) == nil)
      try await ana.publish(.sample())
      #expect(try await ben.location(of: ana) != nil)
    }
  }

  @Test func `losing the most exact friend coarsens what is stored`() async throws {
    try await friends { server, ana, ben in
      let cleo = try await Person.signUp("cleo", on: server)
      try await ana.befriend(cleo)
      try await ana.share(.approximate10km)
      try await ana.share(.precise, with: cleo)
      try await ana.publish(.sample())
      let coarse = try #require(try await ben.location(of: ana))
      _ = try await ana.result(of: RemoveFriend(userID: cleo.id))
      #expect(try await ben.location(of: ana) == coarse)
      // A new precise reader sees no more than what is left.
      try await ana.share(.precise, with: ben)
      let left = try #require(try await ben.location(of: ana))
      #expect(left.precision == .approximate10km)
      #expect(left.coordinate == coarse.coordinate)
      try await ana.publish(.sample())
      let precise = try #require(try await ben.location(of: ana))
      #expect(precise.coordinate == .lisbon)
      #expect(precise.version == left.version + 1)
    }
  }

  @Test(arguments: [true, false])
  func `blocking ends it both ways and a new friendship starts with the default`(
    _ anaBlocks: Bool
  ) async throws {
    try await friends { _, ana, ben in
      for person in [ana, ben] {
        try await person.share(.precise)
        try await person.publish(.sample())
      }
      try await ana.share(.approximate1km, with: ben)
      let (blocker, blocked) = anaBlocks ? (ana, ben) : (ben, ana)
      _ = try await blocker.result(of: BlockUser(userID: blocked.id))
      for person in [ana, ben] {
        #expect(try await person.result(of: FetchFriendLocations()).isEmpty)
        #expect(try await person.result(of: FetchLocationSharing()).count == 1)
      }
      _ = try await blocker.result(of: UnblockUser(userID: blocked.id))
      try await ana.befriend(ben)
      #expect(try await ana.result(of: FetchLocationSharing()).map(\.mode) == [.precise, .precise])
      // Nobody could see it in between, so nothing was kept.
      #expect(try await ben.location(of: ana) == nil)
    }
  }
}
