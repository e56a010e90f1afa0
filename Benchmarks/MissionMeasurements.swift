import Foundation
import RallyTestSupport
import RallyText
import RallyWire

/// Measures requests over HTTP to a server with a million missions.
struct MissionMeasurements {
  let plan: Plan

  private let subject = "server"
  private static let pageSize = 50

  /// - Throws: `BenchFailure` or `ProcessFailure` if the server cannot be set up or a request
  ///   fails.
  func measure(into table: inout ResultTable) async throws {
    progress("a million missions (filling takes a while)")
    let server = try await BenchmarkServer(size: 0, friends: 0)
    let database = try MissionDatabase(
      path: server.folder.file("server/rally.db"), person: server.measured.id,
      plan: .init())
    try database.fill()

    progress("missions nearby")
    try add("nearby, 1,000,000 missions of strangers", nearby, of: server, into: &table)
    try add("activity of one's missions, 100,000 lines", feed(), of: server, into: &table)
    let middle = WireTime.now.advanced(by: .seconds(-50_000))
    try add(
      "the same, a page in the middle", feed(before: middle), of: server, into: &table)
    try database.befriendEverybody()
    try add("nearby, 1,000,000 missions of friends", nearby, of: server, into: &table)
    let far = FetchMissions(
      scope: .nearby, around: MissionDatabase.centre, radiusMetres: 20_100_000,
      limit: Self.pageSize)
    try add("the same, anywhere on Earth", far, of: server, into: &table)
  }

  private var nearby: FetchMissions {
    FetchMissions(
      scope: .nearby, around: MissionDatabase.centre, radiusMetres: 50_000, limit: Self.pageSize)
  }

  private func feed(before: WireTime? = nil) -> FetchMissionActivity {
    FetchMissionActivity(before: before, limit: Self.pageSize)
  }

  /// Repeats a request. The first response is not counted, since it reads the database pages into
  /// memory.
  private func add<F: RemoteFunction>(
    _ what: String, _ call: F, of server: BenchmarkServer, into table: inout ResultTable
  ) throws {
    let connection = server.measured.connection
    let body = try WireJSON.encode(call)
    var sample = Sample()
    for step in 0...max(plan.requests, 2) {
      let start = ContinuousClock.now
      let answer = try connection.post("/rest/v1/rpc/\(F.name)", body)
      let taken = ContinuousClock.now - start
      let rows = try? WireJSON.decode([JSONValue].self, from: answer.body)
      guard answer.status == 200, rows?.count == Self.pageSize else {
        throw BenchFailure("\(F.name): \(answer.status), \(rows?.count ?? 0) rows")
      }
      if step > 0 { sample.add(taken) }
    }
    table.add(subject, "\(what), median", sample.quantile(0.5))
    table.add(subject, "\(what), 99 %", sample.quantile(0.99), target: 50)
  }
}
