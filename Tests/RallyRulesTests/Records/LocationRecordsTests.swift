import Foundation
import RallyServer
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyStorage

@Suite(.everyEngine) struct LocationRecordsTests {
  private static let start = WireTime("2026-08-01T12:05:00Z")!

  /// Everything in every table, as text.
  private static func dump(_ storage: Storage) async throws -> String {
    try await storage.read { database in
      let tables = try database.tables()
      return try tables.flatMap { table in
        try Row.fetchAll(database, sql: "SELECT * FROM \(table)").map { "\(table) \($0)" }
      }.joined(separator: "\n")
    }
  }

  @Test func `a stored position is read as it was written`() async throws {
    for precision in [SharingMode.approximate10km, .approximate1km, .precise] {
      let world = try await ServerWorld(members: 1, at: Self.start)
      let id = world.members[0].id
      let location = try #require(
        StoredLocation(
          .sample(at: Self.start), of: id, after: nil, limit: precision, moves: .immediate(),
          at: Self.start))
      #expect(location.precision == precision)
      try await world.storage.write { database in
        try LocationRecords.replace(location, of: id.wireText, in: database)
        try LocationRecords.replace(location, of: id.wireText, in: database)
      }
      #expect(try await world.stored(of: 0) == location)
      try await world.storage.write { database in
        try LocationRecords.replace(nil, of: id.wireText, in: database)
      }
      #expect(try await world.stored(of: 0) == nil)
    }
  }

  @Test func `no table keeps a trace of where somebody was before`() async throws {
    let world = try await ServerWorld(members: 3, at: Self.start)
    try await world.befriend(0, 1)
    try await world.befriend(0, 2)
    try await world.share(.approximate10km, of: 0)
    try await world.share(.precise, of: 0, with: 1)
    let exact = LocationReport.sample(at: Self.start.advanced(by: .microseconds(-77)))
    for place in [Coordinate.porto, .lisbon] {
      var report = exact
      (report.latitude, report.longitude) = (place.latitude, place.longitude)
      try await world.call(PublishLocations(locations: [report]), clientID: UUID(), as: 0)
      try await world.turn()
    }
    func traces(of place: Coordinate) async throws -> [String] {
      let text = try await Self.dump(world.storage)
      return [
        String(place.latitudeUnits), String(place.longitudeUnits), "\(place.latitude)",
        "\(place.longitude)",
      ].filter { text.contains($0) }
    }
    #expect(try await traces(of: .porto).isEmpty)
    #expect(try await traces(of: .lisbon).count == 2)
    try await world.call(RemoveFriend(userID: world.members[0].id), as: 1)
    #expect(try await traces(of: .lisbon).isEmpty)
    let text = try await Self.dump(world.storage)
    #expect(!text.contains(String(exact.recordedAt.microseconds)))
    // With its quotes: the three letters alone stand in a random digest now and then.
    #expect(!text.contains("\"gps\"") && !text.contains("\"gps\\\""))
    // Neither where it was nor a fingerprint that a guess could be compared with.
    #expect(text.contains("function:\"publish_locations\" args_hash:\"\""))
  }

  @Test func `the feed says whose position changed and nothing of it`() async throws {
    let world = try await ServerWorld(members: 2, at: Self.start)
    try await world.befriend(0, 1)
    try await world.share(.precise, of: 0)
    for place in [Coordinate.lisbon, .porto] {
      try await world.call(PublishLocations(locations: [.sample(place, at: Self.start)]), as: 0)
    }
    let (owner, friend) = (world.members[0].caller.userID, world.members[1].caller.userID)
    try await world.storage.feedCatchesUp()
    let changes = try await world.storage.read { database in
      try ChangeLog.entries(after: .beginning, limit: 100, from: database).filter {
        $0.table == .locations
      }
    }
    #expect(changes.map(\.key) == [owner, "\(owner) precise"])
    #expect(changes.map(\.audience) == [[owner, friend], []])
  }

  @Test func `a position that was removed is overwritten in the file`() async throws {
    let folder = "/tmp/rally-test-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let server = try await TestServer.start { $0.database = .folder(folder) }
    let ana = try await Person.signUp("ana", on: server)
    let ben = try await Person.signUp("ben", on: server)
    try await ana.befriend(ben)
    try await ana.share(.precise)
    try await ana.publish(.sample())
    func isInFile() throws -> Bool {
      let units = UInt32(Coordinate.lisbon.latitudeUnits).bigEndian
      let needle = withUnsafeBytes(of: units) { Data($0) }
      for name in ["rally.db", "rally.db-wal"] {
        let path = "\(folder)/\(name)"
        guard let data = FileManager.default.contents(atPath: path) else { continue }
        if data.range(of: needle) != nil { return true }
      }
      return false
    }
    #expect(try isInFile())
    try await ana.share(.off)
    try await server.stop()
    #expect(try !isInFile())
  }

  @Test func `a share that ended while no server ran is taken back at the start`() async throws {
    let folder = "/tmp/rally-test-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let first = try await TestServer.start { $0.database = .folder(folder) }
    let ana = try await Person.signUp("ana", on: first)
    let ben = try await Person.signUp("ben", on: first)
    try await ana.befriend(ben)
    try await ana.share(.precise, with: ben)
    try await ana.publish(.sample())
    try await first.stop()

    let storage = try Storage(path: "\(folder)/rally.db")
    try await storage.write { database in
      try SharingRecords.set(
        Sharing(mode: .precise, until: WireTime.now.advanced(by: .seconds(-1))), of: ana.wireID,
        for: ben.wireID, at: .now, in: database)
    }
    let second = try await TestServer.start { $0.database = .folder(folder) }
    let deadline = ContinuousClock.now + PollingBackoff.limit
    while try await storage.read({ try LocationRecords.find(ana.wireID, in: $0) }) != nil,
      ContinuousClock.now < deadline
    { await Task.yield() }
    #expect(try await storage.read { try LocationRecords.find(ana.wireID, in: $0) } == nil)
    #expect(try await storage.read(SharingRecords.earliestEnd) == nil)
    try await second.stop()
    try storage.close()
  }

  @Test func `an error of the database does not name the place`() async throws {
    let world = try await ServerWorld(members: 1, at: Self.start)
    let location = StoredLocation(
      .sample(), of: UUID(), after: nil, limit: .precise, moves: try .immediate(), at: .now)
    let error = await #expect(throws: StorageFailure.self) {
      try await world.storage.write { database in
        try LocationRecords.replace(location, of: UUID().wireText, in: database)
      }
    }
    let text = String(describing: error)
    #expect(text.uppercased().contains("FOREIGN KEY"))
    #expect(!text.contains(String(Coordinate.lisbon.latitudeUnits)))
  }
}
