import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct ImportStoreTests {
  private let text = """
    {"type": "FeatureCollection", "features": [
    {"type": "Feature", "geometry": {"type": "Point", "coordinates": [-9.13, 38.712]},
     "properties": {"title": "One"}},
    {"type": "Feature", "geometry": {"type": "Point", "coordinates": [-9.14, 38.712]},
     "properties": {"title": "Two"}}]}
    """

  private func store(_ person: TestPerson) -> ImportStore {
    ImportStore(importService: ImportService(missionsService: person.missionsService))
  }

  @Test func `a file is previewed, imported once, and completed after a failure`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let path = ana.folder.file("missions.geojson")
      try Data(text.utf8).write(to: URL(filePath: path))
      let store = store(ana)
      #expect(store.stage == .reading)
      #expect(await !store.run().isDone)
      await store.read(path)
      #expect(store.stage == .previewed && store.preview.items.count == 2)
      ana.gate.fail("create_mission", with: .connectionLost)
      let failed = await store.run()
      #expect(!failed.isDone && store.problem != nil && store.presentedError != nil)
      #expect(store.stage == .previewed)
      ana.gate.release("create_mission")
      let done = await store.run()
      #expect(done.value?.map(\.isMade) == [true, true])
      #expect(store.stage == .finished && store.problem == nil && store.presentedError == nil)
      #expect(await !store.run().isDone)
    }
  }

  @Test func `a file that cannot be read finishes the import, with the reason`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = store(ana)
      await store.read(ana.folder.file("none.gpx"))
      #expect(store.stage == .finished)
      #expect(store.problem?.contains("There is no such file.") == true)
    }
  }
}
