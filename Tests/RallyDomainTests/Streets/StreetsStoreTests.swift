import Foundation
import RallyClient
import RallyMap
import RallyStreets
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

/// Streets of a city, from a web server that behaves as that of Protomaps' builds.
@MainActor @Suite struct StreetsStoreTests {
  /// A store with a folder of its own, and whom it asks.
  @MainActor
  private final class Scene {
    let folder: TemporaryFolder
    let policy = RuntimePolicyCoordinator()
    let store: StreetsStore
    let supply: StreetSupply

    init(_ source: StreetSource) throws {
      folder = try TemporaryFolder()
      store = StreetsStore(
        folder: folder.file("streets"), finder: Self.finder, runtimePolicyCoordinator: policy)
      supply = StreetSupply(source: source, server: .embedded)
    }

    var names: [String] {
      StreetFolder(path: folder.file("streets")).names.map(\.description)
    }

    var question: StreetsQuestion? {
      if case .asking(let question) = store.phase { question } else { nil }
    }

    /// Agrees to the question once it is asked, and waits for the end.
    func agree() async throws -> StreetsStore.Ending {
      try #require(await eventually { self.question != nil || self.store.ending != nil })
      store.agree()
      try #require(await eventually { self.store.ending != nil })
      return try #require(store.ending)
    }

    nonisolated static let monaco = Place(
      name: "Monaco", detail: "Monaco", coordinate: Samples.coordinate(43.7333, 7.4167))
    private nonisolated static let cities = [
      monaco,
      Place(name: "Monacillo", detail: "Spain", coordinate: Samples.coordinate(38, -1)),
    ]
    private static let finder = PlaceFinder(
      find: { text in cities.filter { $0.name?.hasPrefix(text) == true } },
      nearest: { place in
        cities.min { $0.coordinate.distance(to: place) < $1.coordinate.distance(to: place) }
      })
  }

  private static func build(_ day: String) -> String {
    #"{"key":"\#(day).pmtiles","size":9,"uploaded":"\#(day)","version":"4.1.0"}"#
  }

  private static let builds = "[\(build("20260101")),\(build("20260201"))]"

  private func with(_ body: (Scene, RangeServer) async throws -> Void) async throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../RallyStreetsTests/Fixtures/monaco.pmtiles")
    try await RangeServer.with(Array(try Data(contentsOf: file))) { server in
      server.change { $0.builds = Self.builds }
      try await body(Scene(.builds(server.buildsURL)), server)
    }
  }

  @Test func `a city is fetched after the question, and added once it can be drawn`() async throws {
    try await with { scene, server in
      try scene.store.begin("Monaco", from: scene.supply)
      try #require(await eventually { scene.question != nil })
      #expect(
        scene.question?.sentences == [
          "Streets of Monaco, Monaco, 10 km around: about 19.2 MB from 127.0.0.1. It learns this"
            + " machine's address and that you take Monaco."
        ])
      #expect(server.requests == 0)
      let ending = try await scene.agree()
      guard case .added(_, tileCount: 23, byteCount: _, leftOut: 0) = ending else {
        Issue.record("\(ending)")
        return
      }
      #expect(scene.names == ["monaco"] && scene.store.revision == 1)
      #expect(scene.store.phase == .idle)

      scene.store.ending = nil
      try scene.store.begin("Monaco", from: scene.supply)
      try #require(await eventually { scene.store.ending != nil })
      #expect(
        scene.store.ending
          == .failed(
            "There are streets called monaco already. `rally map remove monaco` removes them."))
    }
  }

  @Test func `a build that is deleted in the middle gives way to the one before`() async throws {
    try await with { scene, server in
      server.change {
        $0.builds = Self.builds
        // Its directories are read by then, its tiles are not.
        $0.deleted = ["20260201.pmtiles": 900]
      }
      try scene.store.begin("Monaco", from: scene.supply)
      guard case .added = try await scene.agree() else {
        Issue.record("\(scene.store.phase)")
        return
      }
      #expect(server.asked.contains("20260201.pmtiles"))
      #expect(server.asked.last == "20260101.pmtiles")
    }
  }

  @Test func `who says no to the question asks nobody`() async throws {
    try await with { scene, server in
      try scene.store.begin("Monaco", from: scene.supply)
      try #require(await eventually { scene.question != nil })
      scene.store.leave()
      #expect(scene.store.phase == .idle && scene.store.ending == nil)
      scene.store.agree()
      #expect(scene.store.phase == .idle && server.requests == 0)
    }
  }

  @Test func `a download is stopped, and nothing is called added`() async throws {
    try await with { scene, server in
      server.change {
        $0.builds = Self.builds
        $0.silence = 20_000
      }
      try scene.store.begin("Monaco", from: scene.supply)
      try #require(await eventually { scene.question != nil })
      scene.store.agree()
      #expect(await server.hasSent(20_000))
      // It goes on while one looks elsewhere, and a second one does not begin.
      scene.store.leave()
      try scene.store.begin("Monacillo", from: scene.supply)
      #expect(scene.store.isFetching)
      scene.store.stop()
      try #require(await eventually { scene.store.ending != nil })
      #expect(scene.store.ending == .stopped("Stopped."))
      #expect(scene.store.phase == .idle && scene.names == [])
    }
  }

  @Test func `a source that is of no use is told`() async throws {
    try await with { scene, server in
      server.change {
        $0.status = 429
        $0.retryAfter = "7"
      }
      try scene.store.begin("Monaco", from: scene.supply)
      #expect(
        try await scene.agree()
          == .failed("127.0.0.1: Too many requests. Try again in 7 s."))
      scene.store.ending = nil
      server.change(content: Array("no tiles".utf8)) { $0.builds = Self.builds }
      try scene.store.begin("Monaco", from: scene.supply)
      guard case .failed = try await scene.agree() else {
        Issue.record("added")
        return
      }
      #expect(scene.names == [] && scene.store.revision == 0)
    }
    let none = try Scene(.none)
    try none.store.begin("Monaco", from: none.supply)
    #expect(try await none.agree() == .failed(StreetSourceProblem.none.sentence))
  }

  @Test func `who saves data is not made to fetch a city`() async throws {
    try await with { scene, server in
      try scene.policy.override(["low-data", "on"])
      try scene.store.begin("Monaco", from: scene.supply)
      guard case .failed(let sentence) = scene.store.ending else {
        Issue.record("\(scene.store.phase)")
        return
      }
      #expect(sentence.hasPrefix("You save data (policy low-data). Nothing was fetched."))
      #expect(scene.store.phase == .idle && server.requests == 0)
    }
  }

  @Test func `the city that I am in is taken around its own middle`() async throws {
    try await with { scene, _ in
      try scene.store.beginHere(
        at: Samples.coordinate(43.7501, 7.4432), isGhost: false, limit: .none, from: scene.supply)
      try #require(await eventually { scene.question != nil })
      let middle = Scene.monaco.coordinate
      #expect(
        scene.question?.streets.area
          == TileArea(
            around: GeoPoint(latitude: middle.latitude, longitude: middle.longitude),
            radius: CityStreets.usualRadius))
    }
  }

  @Test func `a ghost, and who is in a zone, has to name a city`() async throws {
    try await with { scene, server in
      let here = Samples.coordinate(43.7501, 7.4432)
      @MainActor func refusal(
        _ place: Coordinate?, isGhost: Bool = false, _ reason: PrivacyReason? = nil
      ) -> String? {
        do throws(FieldProblem) {
          try scene.store.beginHere(
            at: place, isGhost: isGhost,
            limit: reason.map { PrivacyLimit(mode: .off, reason: $0) } ?? .none,
            from: scene.supply)
          return nil
        } catch {
          return error.advice
        }
      }
      #expect(
        refusal(here, isGhost: true)
          == "You are a ghost, so the city that you are in is told to nobody. Name one: :streets"
          + " Lisbon.")
      #expect(refusal(here, .zone("home"))?.hasPrefix("You are in your zone home, so") == true)
      #expect(refusal(here, .hours)?.hasPrefix("You share nothing at this hour, so") == true)
      #expect(refusal(nil) == "Nobody knows where you are. Name a city: :streets Lisbon.")
      #expect(
        refusal(Samples.coordinate(0, 0))
          == "No city is known there. Name one: :streets Lisbon.")
      #expect(scene.store.phase == .idle && server.requests == 0)
      try scene.store.begin("Monaco", from: scene.supply)
      #expect(await eventually { scene.question != nil })
    }
  }

  @Test func `a name that is only the beginning of others is a choice`() async throws {
    try await with { scene, _ in
      try scene.store.begin("Monac", from: scene.supply)
      guard case .choosing(let places) = scene.store.phase else {
        Issue.record("\(scene.store.phase)")
        return
      }
      #expect(places.map(\.title) == ["Monaco, Monaco", "Monacillo, Spain"])
      scene.store.choose(places[1])
      try #require(await eventually { scene.question != nil })
      #expect(scene.question?.streets.title == "Monacillo")
      for text in ["Nowhere", "43.7,7.4", ""] {
        #expect(throws: FieldProblem.self) { try scene.store.begin(text, from: scene.supply) }
      }
    }
  }
}
