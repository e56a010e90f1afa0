import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

/// What is stored and told of a phone whose owner keeps zones and hours with the account.
@Suite(.everyEngine) struct PhonePrivacyTests {
  /// Clearly outside of the zone around Lisbon's centre, in the same large cell.
  private static let street = Coordinate.at(38.7343, -9.1393)

  private struct Scene {
    let world: ServerWorld
    let phone: AccessSecret

    init(
      _ allows: PrivacyZone.Allowance? = .nothing, hours: [String] = [], at time: WireTime? = nil,
      mode: SharingMode = .precise
    ) async throws {
      world = try await ServerWorld(members: 2, at: time ?? ServerWorld.noon)
      try await world.befriend(0, 1)
      try await world.share(mode, of: 0)
      phone = try await world.addPhone(of: 0)
      var rules = PrivacyRules()
      if let allows {
        rules.zones = [
          PrivacyZone(name: "home", centre: .lisbon, radiusMetres: 450, allows: allows)
        ]
      }
      if !hours.isEmpty { rules.hours = [try SharingHours("work", typed: hours)] }
      try await world.call(SetPrivacyRules(rules: rules), as: 0)
      _ = try await heard()
    }

    @discardableResult
    func post(_ place: Coordinate, after seconds: Int, accuracy: Double = 8) async throws
      -> StoredPhone
    {
      world.wait(seconds: Int64(seconds))
      return try await world.post(
        PhonePost(fixes: [.sample(place, at: world.now, accuracy: accuracy)]), with: phone)
    }

    /// What reached the friend.
    func heard() async throws -> [String] {
      try await world.turn()
      return await world.frames(for: 1)
    }

    func seen() async throws -> LocationRecord? {
      try await world.result(of: FetchFriendLocations(), as: 1).first
    }

    /// All of the database but what tells when the phone posted, as text.
    func dump() async throws -> [String] {
      try await world.storage.read { database in
        try database.tables().flatMap { table in
          try Row.fetchAll(
            database,
            sql: table == "phones"
              ? "SELECT id, last_fix_at, problem FROM phones" : "SELECT * FROM \(table)"
          ).map { "\(table) \($0)" }
        }.sorted()
      }
    }
  }

  @Test func `in a zone nothing of a fix is stored, not even a mark, and the app hears no refusal`()
    async throws
  {
    let scene = try await Scene()
    let first = try await scene.post(.lisbon, after: 0)
    #expect(first.lastPostAt == scene.world.now)
    #expect(first.lastFixAt == nil && first.problem == nil)
    #expect(try await scene.world.stored(of: 0) == nil)
    let marks = try await scene.world.storage.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM location_devices")
    }
    #expect(marks == 0)
    // From outside it is stored; at home again, nothing changes anywhere.
    try await scene.post(Self.street, after: 60)
    #expect(try await scene.seen()?.coordinate == Self.street)
    #expect(try await scene.heard().count == 1)
    let before = try await scene.dump()
    for seconds in [30, 60, 3600] {
      let phone = try await scene.post(.lisbon, after: seconds)
      #expect(phone.problem == nil)
    }
    // A circle that touches the zone counts as inside.
    try await scene.post(Self.street, after: 60, accuracy: 2000)
    #expect(try await scene.dump() == before)
    #expect(try await scene.heard().isEmpty)
    try await scene.post(.porto, after: 60)
    #expect(try await scene.seen()?.coordinate == .porto)
  }

  @Test func `of a batch the newest fix outside of the zone is taken, however late it comes`()
    async throws
  {
    let scene = try await Scene()
    scene.world.wait(seconds: 600)
    func fix(_ place: Coordinate, _ ago: Int) -> PhoneFix {
      .sample(place, at: scene.world.now.advanced(by: .seconds(-ago)))
    }
    try await scene.world.post(
      PhonePost(fixes: [fix(.porto, 300), fix(Self.street, 200), fix(.lisbon, 100)]),
      with: scene.phone)
    #expect(try await scene.seen()?.coordinate == Self.street)
    try await scene.world.post(PhonePost(fixes: [fix(.downtown, 150)]), with: scene.phone)
    #expect(try await scene.seen()?.coordinate == .downtown)
    try await scene.world.post(PhonePost(fixes: [fix(.porto, 400)]), with: scene.phone)
    #expect(try await scene.seen()?.coordinate == .downtown)
  }

  @Test func `in a zone of the city the last place outside stays until there is another city`()
    async throws
  {
    let scene = try await Scene(.city)
    // Nothing known yet: the city, and no finer.
    try await scene.post(.acrossTheStreet, after: 0)
    let city = GridCell(containing: .lisbon, level: .tenKilometres).center
    let stored = try #require(try await scene.world.stored(of: 0))
    #expect(stored.precision == .approximate10km && stored.coordinate == city)
    #expect(stored.details == nil && stored.fine == nil)
    let text = try await scene.dump().joined()
    let place = Coordinate.acrossTheStreet
    // As rows and as messages write them; shorter digits stand in ids and times by chance.
    for digits in ["\(place.latitudeUnits)", "\(place.longitudeUnits)", "38.7226", "-9.1391"] {
      #expect(!text.contains(digits))
    }
    // Outside exactly, then home: the place outside stays.
    try await scene.post(Self.street, after: 60)
    let outside = try #require(try await scene.seen())
    #expect(outside.coordinate == Self.street)
    _ = try await scene.heard()
    for seconds in [60, 3600] { try await scene.post(.lisbon, after: seconds) }
    #expect(try await scene.seen() == outside)
    #expect(try await scene.heard().isEmpty)
    // After a day maps do not show it any more: then the city is told.
    try await scene.post(.lisbon, after: 90_000)
    #expect(try await scene.seen()?.precision == .approximate10km)
  }

  @Test func `outside of the hours nothing is stored, nor what was measured then afterwards`()
    async throws
  {
    // A Monday.
    let morning = try #require(WireTime("2026-03-02T08:00:00Z"))
    let scene = try await Scene(nil, hours: ["mon-fri", "9-18"], at: morning)
    try await scene.post(.porto, after: 0)
    #expect(try await scene.seen() == nil)
    scene.world.wait(seconds: 2 * 3600)
    // Buffered since before the hours began.
    try await scene.world.post(
      PhonePost(fixes: [.sample(.porto, at: morning.advanced(by: .seconds(60)))]),
      with: scene.phone)
    #expect(try await scene.seen() == nil)
    try await scene.post(.lisbon, after: 60)
    let seen = try #require(try await scene.seen())
    try await scene.post(.porto, after: 9 * 3600)
    #expect(try await scene.seen() == seen)
  }

  /// Two worlds: in one the owner goes home to a zone, in the other the phone is silent meanwhile.
  @Test(arguments: [SharingMode.precise, .approximate1km, .approximate10km])
  func `nobody can tell a zone from a phone that is silent`(mode: SharingMode) async throws {
    var heard: [[String]] = []
    var rows: [String] = []
    var replies: [[OwnTracksMessage]] = []
    for isAtHome in [true, false] {
      let scene = try await Scene(mode: mode)
      let friend = try await scene.world.addPhone(of: 1)
      try await scene.post(.porto, after: 0)
      try await scene.post(Self.street, after: 900)
      for seconds in [300, 300, 900] {
        if isAtHome {
          try await scene.post(.lisbon, after: seconds)
        } else {
          scene.world.wait(seconds: Int64(seconds))
        }
        rows.append(
          try await scene.world.call(FetchFriendLocations(), as: 1)
            + scene.world.call(FetchMissions(scope: .nearby, around: .lisbon), as: 1))
      }
      let phone = try await scene.world.post(PhonePost(), with: friend)
      replies.append(try await scene.world.reply(to: phone))
      try await scene.post(.porto, after: 300)
      rows.append(try await scene.world.call(FetchFriendLocations(), as: 1))
      heard.append(try await scene.heard())
    }
    #expect(heard[0] == heard[1])
    #expect(rows.prefix(4) == rows.suffix(4))
    #expect(replies[0] == replies[1])
  }

  @Test func `rules that cannot be read let nothing be stored`() async throws {
    let scene = try await Scene()
    try await scene.world.storage.write {
      try $0.execute(sql: "UPDATE privacy_rules SET rules = '{}'")
    }
    await #expect(throws: StorageFailure.self) { try await scene.post(.porto, after: 1) }
    #expect(try await scene.world.stored(of: 0) == nil)
  }
}
