import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

@Suite(.everyEngine) struct LocationChangesTests {
  /// Ana, whose position it is, and Ben who listens.
  private func listening(
    _ body: (TestServer, Person, Person, RealtimeProbe) async throws -> Void
  ) async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      try await ana.befriend(ben)
      let probe = try await RealtimeProbe.connect(server)
      try await probe.listen(token: ben.session.accessToken, table: "locations")
      try await body(server, ana, ben, probe)
      try await probe.close()
    }
  }

  private func next(_ probe: RealtimeProbe) async throws -> JSONValue {
    try await probe.next(.postgresChanges)["payload"]?["data"] ?? .null
  }

  @Test(.acrossNodes) func `a precise friend hears of each position, with all columns`()
    async throws
  {
    try await listening { _, ana, ben, probe in
      try await ana.share(.precise)
      try await ana.publish(.sample())
      let first = try await next(probe)
      #expect(first["type"] == "INSERT")
      #expect(first["table"] == "locations")
      #expect(first.object?.keys.contains("old_record") == false)
      #expect(
        first["record"] == (try JSONValue(encoding: try #require(try await ben.location(of: ana)))))
      #expect(
        first["columns"]?.array?.compactMap { $0["name"]?.string }.sorted()
          == first["record"]?.object?.keys.sorted())
      try await ana.publish(.sample(.acrossTheStreet))
      let second = try await next(probe)
      #expect(second["type"] == "UPDATE")
      #expect(second["old_record"] == ["user_id": .string(ana.wireID)])
      #expect(second["record"]?["latitude"] == .number(Coordinate.acrossTheStreet.latitude))
      #expect(second["record"]?["version"] == 2)
    }
  }

  @Test func `a coarse friend hears only of another cell, and of no finer clock`() async throws {
    try await listening { server, ana, ben, probe in
      let cleo = try await Person.signUp("cleo", on: server)
      try await ana.befriend(cleo)
      try await ana.share(.precise, with: cleo)
      try await ana.share(.approximate10km, with: ben)
      let moves: [(String, [Coordinate])] = [
        ("INSERT", [.lisbon]), ("UPDATE", [.acrossTheStreet, .downtown, .porto, .porto]),
      ]
      for (type, places) in moves {
        for place in places { try await ana.publish(.sample(place)) }
        // What is not read before the next move is told as one change.
        let data = try await next(probe)
        let cell = GridCell(containing: try #require(places.last), level: .tenKilometres)
        #expect(data["type"]?.string == type)
        #expect(data["record"]?["latitude"] == .number(cell.center.latitude))
        #expect(data["record"]?["speed"] == .null)
        #expect(data["record"]?["battery"] == .null)
        #expect(data["record"]?["version"]?.integer == (type == "INSERT" ? 1 : 2))
        let text = try #require(data["record"]?["recorded_at"]?.string)
        let recorded = try #require(WireTime(text))
        #expect(recorded == recorded.quarterHour)
        #expect(data["commit_timestamp"]?.string == recorded.zulu)
      }
      #expect(try await probe.drain().isEmpty)
    }
  }

  @Test(.acrossNodes) func `a filter meets the cut row and nothing else`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      try await ana.befriend(ben)
      let cell = GridCell(containing: .lisbon, level: .oneKilometre).center
      func binding(_ filter: String) -> JSONValue {
        ["event": "*", "schema": "public", "table": "locations", "filter": .string(filter)]
      }
      let matching = [
        "latitude=eq.\(cell.latitude)", "latitude=neq.\(Coordinate.lisbon.latitude)",
        "accuracy_m=eq.1000", "source=eq.approximate", "precision=in.(approximate_1km,precise)",
        "version=eq.1", "latitude=gte.\(cell.latitude)",
      ]
      let missing = [
        "latitude=eq.\(Coordinate.lisbon.latitude)", "longitude=neq.\(cell.longitude)",
        "battery=eq.80", "battery=neq.81", "speed=neq.0", "source=eq.gps",
        "accuracy_m=eq.12", "latitude=gt.\(cell.latitude)",
      ]
      let probe = try await RealtimeProbe.connect(server)
      let reply = try await probe.join(
        "realtime:locations", token: ben.session.accessToken,
        bindings: (matching + missing).map(binding))
      let ids = try #require(reply["payload"]?["response"]?["postgres_changes"]?.array)
        .compactMap { $0["id"] }
      _ = try await probe.next(.system)
      try await ana.share(.approximate1km)
      try await ana.publish(.sample())
      let change = try await probe.next(.postgresChanges)
      #expect(change["payload"]?["ids"] == .array(Array(ids.prefix(matching.count))))
      // A column that locations do not have.
      let other = try await RealtimeProbe.connect(server)
      try await other.join(
        "realtime:locations", token: ben.session.accessToken,
        bindings: [binding("altitude=gt.38.7")])
      #expect(try await other.next(.system)["payload"]?["status"] == "error")
      try await probe.close()
      try await other.close()
    }
  }

  enum End: CaseIterable {
    case off, defaultOff, unfriended, unfriends, blocked, blocks
  }

  @Test(.acrossNodes, arguments: End.allCases)
  func `whoever may see it no longer is told at once, with the key only`(
    _ end: End
  ) async throws {
    try await listening { _, ana, ben, probe in
      try await ana.share(.precise)
      try await ana.publish(.sample())
      #expect(try await next(probe)["type"] == "INSERT")
      switch end {
      case .off: try await ana.share(.off, with: ben)
      case .defaultOff: try await ana.share(.off)
      case .unfriended: _ = try await ana.result(of: RemoveFriend(userID: ben.id))
      case .unfriends: _ = try await ben.result(of: RemoveFriend(userID: ana.id))
      case .blocked: _ = try await ana.result(of: BlockUser(userID: ben.id))
      case .blocks: _ = try await ben.result(of: BlockUser(userID: ana.id))
      }
      let data = try await next(probe)
      #expect(data["type"] == "DELETE")
      #expect(data["old_record"] == ["user_id": .string(ana.wireID)])
      #expect(data.object?.keys.contains("record") == false)
      try await ana.publish(.sample(.porto))
      #expect(try await probe.drain().isEmpty)
    }
  }

  @Test(.acrossNodes) func `a reader whose share is changed sees the row change`() async throws {
    try await listening { _, ana, ben, probe in
      try await ana.share(.precise)
      try await ana.publish(.sample())
      var version: Int64 = 0
      for (mode, type, seen) in [
        (SharingMode.precise, "INSERT", "precise"),
        (.approximate1km, "UPDATE", "approximate_1km"),
        (.approximate10km, "UPDATE", "approximate_10km"),
      ] {
        try await ana.share(mode, with: ben)
        let data = try await next(probe)
        #expect(data["type"]?.string == type)
        #expect(data["record"]?["precision"]?.string == seen)
        version += 1
        #expect(data["record"]?["version"]?.integer == version)
      }
      // Asked for again, or for more than is stored: nothing changes for the reader.
      try await ana.share(.approximate10km, with: ben)
      try await ana.share(.precise, with: ben)
      #expect(try await probe.drain().isEmpty)
    }
  }

  @Test(.acrossNodes) func `new friends get what the default says, as exact as it was kept`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let cleo = try await Person.signUp("cleo", on: server)
      try await ana.befriend(ben)
      try await ana.share(.precise)
      try await ana.share(.approximate1km, with: ben)
      try await ana.publish(.sample())
      let probe = try await RealtimeProbe.connect(server)
      try await probe.listen(token: cleo.session.accessToken, table: "locations")
      _ = try await cleo.result(of: RequestFriend(userID: ana.id))
      try await ana.publish(.sample(.porto))
      #expect(try await probe.drain().isEmpty)
      _ = try await ana.result(of: RespondToFriendRequest(userID: cleo.id, accept: true))
      let data = try await next(probe)
      #expect(data["type"] == "INSERT")
      #expect(data["record"]?["precision"] == "approximate_1km")
      try await probe.close()
    }
  }

  @Test(.acrossNodes) func `one's own other terminal hears of what is kept`() async throws {
    try await listening { server, ana, ben, probe in
      let own = try await RealtimeProbe.connect(server)
      try await own.listen(token: ana.session.accessToken, table: "locations")
      try await ana.publish(.sample())
      try await ana.share(.approximate1km)
      try await ana.publish(.sample())
      let data = try await next(own)
      #expect(data["type"] == "INSERT")
      #expect(data["record"]?["precision"] == "approximate_1km")
      try await ana.share(.off)
      #expect(try await next(own)["type"] == "DELETE")
      try await own.close()
    }
  }

  @Test(.acrossNodes) func `a share that ends is taken back without anybody asking`() async throws {
    try await listening { _, ana, ben, probe in
      try await ana.share(.approximate10km)
      try await ana.share(.precise, with: ben)
      try await ana.publish(.sample())
      #expect(try await next(probe)["record"]?["precision"] == "precise")
      // Only now: a slow machine must not meet the end before the position.
      try await ana.share(.precise, with: ben, until: WireTime.now.advanced(by: .seconds(3)))
      let data = try await next(probe)
      #expect(data["type"] == "UPDATE")
      #expect(data["record"]?["precision"] == "approximate_10km")
      #expect(try await ana.result(of: FetchLocationSharing()).map(\.isDefault) == [true, true])
      // What was exact is gone from the server, too.
      try await ana.share(.precise, with: ben)
      #expect(try await ben.location(of: ana)?.precision == .approximate10km)
    }
  }

  // MARK: - With a clock moved by hand

  private static let start = WireTime("2026-08-01T12:05:00Z")!

  /// Two friends, of whom the first shares everything; what was said so far is taken away.
  private func world() async throws -> ServerWorld {
    let world = try await ServerWorld(members: 2, at: Self.start)
    try await world.befriend(0, 1)
    try await world.share(.precise, of: 0)
    return world
  }

  private func publish(_ place: Coordinate, in world: ServerWorld) async throws {
    try await world.call(PublishLocations(locations: [.sample(place, at: world.now)]), as: 0)
  }

  @Test func `many changes before the feed is read are told as one`() async throws {
    let world = try await world()
    for place in [Coordinate.lisbon, .porto, .downtown] { try await publish(place, in: world) }
    try await world.turn()
    let frames = await world.frames(for: 1)
    #expect(frames.count == 1)
    #expect(frames.first?.contains("INSERT") == true)
    #expect(frames.first?.contains("\(Coordinate.downtown.latitude)") == true)
  }

  @Test func `who comes to see a position after it moved hears of a row and not of a change`()
    async throws
  {
    let world = try await ServerWorld(members: 3, at: Self.start)
    for friend in [1, 2] { try await world.befriend(0, friend) }
    try await world.share(.precise, of: 0, with: 1)
    try await publish(.lisbon, in: world)
    try await world.turn()
    _ = await world.frames(for: 1)
    // The feed has both when it is read, and the second one’s visibility is there by then.
    try await publish(.porto, in: world)
    try await world.share(.precise, of: 0, with: 2)
    try await world.turn()
    for (friend, type) in [(1, "UPDATE"), (2, "INSERT")] {
      let frames = await world.frames(for: friend)
      #expect(frames.count == 1)
      #expect(frames.first?.contains("\"\(type)\"") == true)
    }
  }

  @Test func `what came and went before the feed was read is not told`() async throws {
    let world = try await world()
    try await publish(.lisbon, in: world)
    try await world.share(.off, of: 0)
    try await world.turn()
    #expect(await world.frames(for: 1).isEmpty)
    try await world.share(.precise, of: 0)
    try await publish(.lisbon, in: world)
    try await world.turn()
    #expect(await world.frames(for: 1).count == 1)
    try await world.share(.off, of: 0)
    try await world.share(.precise, of: 0)
    try await publish(.porto, in: world)
    try await world.turn()
    let frames = await world.frames(for: 1)
    #expect(frames.map { $0.contains("DELETE") } == [true, false])
    #expect(frames.last?.contains("INSERT") == true)
  }

  @Test func `somebody on an edge is announced once`() async throws {
    let world = try await world()
    try await world.share(.approximate1km, of: 0)
    let cell = GridCell(containing: .lisbon, level: .oneKilometre).center
    let edge = cell.latitude + 1.0 / 240
    var cells: Set<GridCell> = []
    for step in 0..<20 {
      let place = Coordinate.at(edge + (step.isMultiple(of: 2) ? 0.0004 : -0.0004), cell.longitude)
      cells.insert(GridCell(containing: place, level: .oneKilometre))
      try await publish(place, in: world)
      try await world.turn()
    }
    #expect(cells.count == 2)
    #expect(await world.frames(for: 1).count == 1)
  }

  @Test func `a default that ends leaves nothing shared`() async throws {
    let world = try await world()
    try await world.share(.precise, of: 0, until: Self.start.advanced(by: .seconds(60)))
    try await publish(.lisbon, in: world)
    try await world.turn()
    #expect(await world.frames(for: 1).count == 1)
    world.now = Self.start.advanced(by: .seconds(60))
    #expect(try await world.call(FetchFriendLocations(), as: 1) == "[]")
    try await world.turn()
    let frames = await world.frames(for: 1)
    #expect(frames.count == 1)
    #expect(frames.first?.contains("DELETE") == true)
    #expect(try await world.stored(of: 0) == nil)
    #expect(
      try await world.result(of: FetchLocationSharing(), as: 0).map(\.mode) == [.off, .off])
  }
}
