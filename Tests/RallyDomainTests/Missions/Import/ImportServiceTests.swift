import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@Suite struct ImportServiceTests {
  private actor Report {
    private(set) var outcomes: [ImportOutcome] = []
    func add(_ outcome: ImportOutcome) { outcomes.append(outcome) }
  }

  private func file(_ text: String, in folder: TemporaryFolder) throws -> String {
    let path = folder.file("missions.geojson")
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
  }

  /// Two missions without times, so that they can be made at any moment.
  private let text = """
    {"type": "FeatureCollection", "features": [
    {"type": "Feature", "geometry": {"type": "Point", "coordinates": [-9.13, 38.712]},
     "properties": {"title": "One", "objectives": ["Door"]}},
    {"type": "Feature", "geometry": {"type": "Point", "coordinates": [-9.14, 38.712]},
     "properties": {"title": "Two"}}]}
    """

  @Test func `a file that cannot be opened is told with the system's reason`() throws {
    let folder = try TemporaryFolder()
    let loop = folder.file("loop.gpx")
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
    do {
      _ = try ImportService.read(loop)
      Issue.record("it was read")
    } catch let problem as FieldProblem {
      #expect(problem.advice.contains("cannot be opened (too many levels of symbolic links)"))
    }
  }

  @Test func `a file is made missions once, however often it is imported`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let missions = MissionsService(client: ana.client)
      let service = ImportService(missionsService: missions)
      let path = try file(text, in: ana.folder)
      for _ in 0..<2 {
        let report = Report()
        try await service.run(try await service.preview(file: path)) { await report.add($0) }
        #expect(await report.outcomes.map(\.isMade) == [true, true])
      }
      let made = try await missions.fetchMissions(scope: .active)
      #expect(Set(made.map(\.title)) == ["One", "Two"])
      #expect(made.count == 2)
      #expect(made.first { $0.title == "One" }?.objectives.map(\.title) == ["Door"])
    }
  }

  @Test func `a broken connection leaves what is made, and the rest is made by a second try`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let missions = MissionsService(client: ana.client)
      let service = ImportService(missionsService: missions)
      let preview = try await service.preview(file: try file(text, in: ana.folder))
      let report = Report()
      await #expect(throws: NetworkError.self) {
        try await service.run(preview) { outcome in
          await report.add(outcome)
          ana.gate.goOffline()
        }
      }
      #expect(await report.outcomes.map(\.item.call.title) == ["One"])
      ana.gate.goOffline(false)
      try await service.run(preview) { await report.add($0) }
      #expect(await report.outcomes.count == 3)
      #expect(try await missions.fetchMissions(scope: .active).count == 2)
    }
  }

  @Test func `what the server refuses is reported and keeps nothing else out`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let refusal = FunctionFailure(.invalidArgument, "Not like\u{1B} this.")
      ana.gate.answer(
        "create_mission", HTTPAnswer(status: 400, body: try WireJSON.encode(refusal)))
      let service = ImportService(missionsService: MissionsService(client: ana.client))
      let preview = try await service.preview(file: try file(text, in: ana.folder))
      let report = Report()
      try await service.run(preview) { await report.add($0) }
      #expect(await report.outcomes.map(\.sentence) == ["Not like this.", "Not like this."])
    }
  }

  @Test func `a server that asks to wait is waited for, and nothing is left out`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let missions = MissionsService(client: ana.client)
      let service = ImportService(missionsService: missions)
      let preview = try await service.preview(file: try file(text, in: ana.folder))
      ana.gate.answer(
        "create_mission",
        HTTPAnswer(status: 429, headers: ["retry-after": "1"], body: Data("{}".utf8)), times: 2)
      let report = Report()
      let waits = ana.client.waits()
      try await service.run(preview) { await report.add($0) }
      #expect(await report.outcomes.map(\.isMade) == [true, true])
      var told: [Duration] = []
      for await wait in waits {
        told.append(wait)
        if told.count == 2 { break }
      }
      #expect(told == [.seconds(1), .seconds(1)])
      #expect(try await missions.fetchMissions(scope: .active).count == 2)
    }
  }

  @Test func `a file that cannot be read says so, and holds nothing up`() async throws {
    let folder = try TemporaryFolder()
    let service = ImportService(missionsService: MissionsService(client: SupabaseClient.shared))
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    for path in [folder.file("none"), folder.path, pipe, "/dev/zero"] {
      let problem = await #expect(throws: FieldProblem.self) {
        _ = try await service.preview(file: path)
      }
      #expect(problem?.field == .file)
    }
    let empty = folder.file("empty.gpx")
    try Data().write(to: URL(filePath: empty))
    #expect(try await service.preview(file: empty).problems.map(\.line) == [1])
  }
}
