import Foundation
import RallyDomain
import RallyMap
import RallyStreets
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallyTUI

/// A folder of streets with Monaco in it.
struct MonacoStreets {
  static let rueGrimaldi = Samples.coordinate(43.7357, 7.4198)

  /// Copies the archive into a folder, which is made.
  static func copy(to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(archive()).write(to: URL(fileURLWithPath: "\(folder)/monaco.pmtiles"))
  }

  static func archive() throws -> [UInt8] {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return Array(
      try Data(
        contentsOf: tests.appendingPathComponent("RallyStreetsTests/Fixtures/monaco.pmtiles")))
  }
}

@Suite struct GroundStoreTests {
  private func withStore(_ body: (GroundStore) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try MonacoStreets.copy(to: folder.path)
    try await body(GroundStore(tiles: StreetTiles(folder: folder.path)))
  }

  private func viewport(zoom: Double) -> Viewport {
    Viewport(
      center: GeoPoint(MonacoStreets.rueGrimaldi), zoom: zoom, columns: 80, rows: 24)
  }

  private func position(_ precision: SharingMode, accuracy: Double? = nil) throws -> FriendPosition
  {
    var record = Samples.location(
      of: 1, at: MonacoStreets.rueGrimaldi, precision: precision)
    if let accuracy { record.accuracyMetres = accuracy }
    return try #require(FriendPosition(record, of: Samples.friend(1)))
  }

  @Test func `tiles come once a view is near enough, and go when it is not`() async throws {
    try await withStore { store in
      store.show(viewport(zoom: 6))
      #expect(store.ground == .none)
      store.show(viewport(zoom: 14))
      #expect(await eventually { store.ground != .none })
      #expect(store.ground.attribution.contains("OpenStreetMap"))
      store.show(viewport(zoom: 6))
      #expect(await eventually { store.ground == .none })
    }
  }

  @Test func `what is being read is known until it is there`() async throws {
    try await withStore { store in
      #expect(!store.isReading)
      store.show(viewport(zoom: 14))
      _ = store.street(of: try position(.precise))
      #expect(store.isReading)
      #expect(await eventually { !store.isReading })
      #expect(store.ground != .none)
      #expect(store.street(of: try position(.precise)) != nil)
      #expect(!store.isReading)
    }
  }

  @Test func `a street is named for an exact position and for no other`() async throws {
    try await withStore { store in
      let exact = try position(.precise)
      #expect(store.street(of: exact) == nil)
      #expect(await eventually { store.street(of: exact)?.title == "Rue Grimaldi, Monaco" })
      // The street at this very coordinate is known by now, and still not told.
      #expect(store.street(of: try position(.approximate1km)) == nil)
      #expect(store.street(of: try position(.approximate10km)) == nil)
      #expect(store.street(of: try position(.approximate1km, accuracy: 1)) == nil)
      #expect(store.street(of: try position(.precise, accuracy: 500)) == nil)
    }
  }

  @Test func `streets are found by name`() async throws {
    try await withStore { store in
      store.find("grimaldi", near: nil)
      #expect(
        await eventually { store.places(matching: "grimaldi").first?.name == "Rue Grimaldi" })
      #expect(store.places(matching: "another text").isEmpty)
    }
  }

  @Test func `without archives nothing is shown and nothing is named`() async throws {
    let store = GroundStore(tiles: nil)
    store.show(viewport(zoom: 14))
    store.find("grimaldi", near: nil)
    #expect(store.street(of: try position(.precise)) == nil)
    #expect(store.ground == .none && store.places(matching: "grimaldi").isEmpty)
  }
}
