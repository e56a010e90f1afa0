import Foundation
import NIOHTTP1
import RallyServer
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyStorage

/// Coordinates given for a check-in or for `nearby` are neither stored nor logged.
@Suite(.everyEngine) struct MissionPrivacyTests {
  /// Places with numbers that nothing else has.
  private static let checkedIn = Coordinate.at(38.7223417, -9.1393258)
  private static let outside = Coordinate.at(41.1234567, -8.7654321)
  private static let lookedFrom = Coordinate.at(37.9182736, -7.6543219)

  /// Every way in which one of a place's numbers could lie in a file.
  private static func traces(of place: Coordinate) -> [Data] {
    var traces: [Data] = []
    func add<T>(_ value: T) { traces.append(withUnsafeBytes(of: value) { Data($0) }) }
    for (degrees, units) in [
      (place.latitude, place.latitudeUnits), (place.longitude, place.longitudeUnits),
    ] {
      traces.append(Data("\(abs(degrees))".utf8))
      traces.append(Data("\(abs(units))".utf8))
      add(Int32(units).bigEndian)
      add(degrees.bitPattern.bigEndian)
      add(degrees.bitPattern.littleEndian)
    }
    add(ZOrder(place).value.bigEndian)
    traces.append(Data("\(ZOrder(place).value)".utf8))
    return traces
  }

  private static func contents(of folder: URL) throws -> [(name: String, data: Data)] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { !$0.hasDirectoryPath }
      .map { ($0.lastPathComponent, try Data(contentsOf: $0)) }
  }

  private static func expectNoTrace(in folder: URL, of places: [Coordinate]) throws {
    for file in try contents(of: folder) {
      for place in places {
        for (index, trace) in traces(of: place).enumerated() {
          #expect(file.data.range(of: trace) == nil, "trace \(index) of \(place) in \(file.name)")
        }
      }
    }
  }

  @Test func `no coordinate of a person is left in any file or log`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "rally-privacy-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let log = LogCapture()
    let server = try await TestServer.start(logger: log.logger) {
      $0.database = .folder(folder.path)
    }
    let ana = try await Person.signUp("ana", on: server)
    let mission = try await ana.result(
      of: CreateMission.sample(objectives: [ObjectiveInput(title: "Door", count: 3)]))
    func checkIn(_ place: Coordinate, accuracy: Double?) -> FunctionCall<CheckIn> {
      FunctionCall(
        CheckIn(
          missionID: mission.id, objectiveID: mission.objectives[0].id, at: place,
          accuracyMetres: accuracy), clientID: UUID())
    }
    #expect(try await ana.refusal(of: checkIn(Self.checkedIn, accuracy: 12.34567)) == nil)
    #expect(try await ana.refusal(of: checkIn(Self.outside, accuracy: 5)) == "outside")
    #expect(try await ana.refusal(of: checkIn(Self.outside, accuracy: 4000)) == "too_vague")
    let near = FetchMissions(scope: .nearby, around: Self.lookedFrom, radiusMetres: 2_000_000)
    #expect(try await ana.result(of: near).count == 1)
    // In the query of a GET, as the official libraries can send it.
    let query =
      "p_scope=nearby&p_latitude=\(Self.lookedFrom.latitude)"
      + "&p_longitude=\(Self.lookedFrom.longitude)&p_radius_m=2000000"
    for path in [query, query + "&p_limit=-1", query + "&p_nothing=1"] {
      let reply = try await ana.client.send(.GET, "/rest/v1/rpc/fetch_missions?\(path)")
      #expect(reply.status == (path == query ? 200 : path.hasSuffix("-1") ? 400 : 404))
      #expect((reply.json.array?.count == 1) == (path == query))
    }
    // In filters, in ones that cannot be read too.
    for filter in [
      "latitude=gt.\(Self.lookedFrom.latitude)", "latitude=eq.\(Self.lookedFrom.latitude)x",
      "or=(longitude.lt.\(Self.lookedFrom.longitude)", "order=\(Self.lookedFrom.latitude)",
    ] {
      for path in ["missions?", "locations?", "rpc/fetch_missions?p_scope=active&"] {
        let reply = try await ana.client.send(.GET, "/rest/v1/\(path)\(filter)")
        #expect(reply.status == (filter.hasPrefix("latitude=gt") ? 200 : 400))
      }
    }
    let all = [Self.checkedIn, Self.outside, Self.lookedFrom]
    try Self.expectNoTrace(in: folder, of: all)
    try await server.stop()
    try Self.expectNoTrace(in: folder, of: all)
    // The search does find what is there: the mission's own place.
    let files = try Self.contents(of: folder)
    #expect(
      files.contains { $0.data.range(of: Self.traces(of: .lisbon)[2]) != nil })
    #expect(!log.text.isEmpty)
    for place in all {
      for word in ["\(abs(place.latitude))", "\(abs(place.longitude))", place.description] {
        #expect(!log.text.contains(word))
      }
    }
  }

  @Test func `a repeatable check-in leaves its id and nothing else`() async throws {
    let world = try await ServerWorld.withFriends(1)
    let mission = try await world.create(
      .sample(objectives: [ObjectiveInput(title: "Door", count: 3)]))
    try await world.call(
      CheckIn(
        missionID: mission.id, objectiveID: mission.objectives[0].id, at: Self.checkedIn,
        accuracyMetres: 5), clientID: UUID(), as: 0)
    let rows = try await world.storage.read { database in
      try Row.fetchAll(
        database, sql: "SELECT args_hash, result FROM calls WHERE function = 'check_in'"
      ).map { [try $0["args_hash"] as String?, try $0["result"] as String?] }
    }
    #expect(rows == [["", nil]])
    let columns = try await world.storage.read { database in
      try ["check_ins", "mission_activity"].flatMap { table in
        try #require(try Row.fetchOne(database, sql: "SELECT * FROM \(table)")).columns
      }
    }
    #expect(!columns.contains { $0.contains("latitude") || $0.contains("distance") || $0 == "z" })
  }

  @Test func `an error of the database does not tell where somebody looked`() async throws {
    let world = try await ServerWorld.withFriends(1)
    try await world.storage.write { try $0.execute(sql: "DROP TABLE mission_members") }
    await #expect {
      try await world.call(FetchMissions(scope: .nearby, around: Self.lookedFrom), as: 0)
    } throws: { error in
      let text = "\(error)"
      return !text.contains("\(ZOrder(Self.lookedFrom).value)".prefix(6)) && !text.contains("37.9")
    }
  }
}
