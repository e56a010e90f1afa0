import Foundation
import RallyMap
import Synchronization
import Testing

@testable import RallyStreets

@Suite struct StreetTilesTests {
  private func viewport(_ point: GeoPoint = StreetShelf.monaco, zoom: Double = 14) -> Viewport {
    Viewport(center: point, zoom: zoom, columns: 80, rows: 24)
  }

  /// What was reported, in order.
  private final class Reports: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  @Test func `without archives there is no ground, and below zoom 9 none is looked for`()
    async throws
  {
    let empty = StreetTiles(folder: "/nowhere/at/all")
    #expect(await empty.ground(for: viewport())?.patches.isEmpty == true)
    let shelf = try StreetShelf()
    try shelf.addMonaco()
    let tiles = StreetTiles(folder: shelf.folder.path)
    #expect(await tiles.ground(for: viewport(zoom: 8.9))?.patches.isEmpty == true)
    #expect(await tiles.ground(for: viewport(zoom: 9))?.patches.isEmpty == false)
  }

  @Test func `the tiles of the view's zoom are found, and who made them`() async throws {
    let shelf = try StreetShelf()
    try shelf.addMonaco()
    let tiles = StreetTiles(folder: shelf.folder.path)
    for zoom in [10, 12, 14] {
      let ground = try #require(await tiles.ground(for: viewport(zoom: Double(zoom))))
      #expect(ground.patches.allSatisfy { $0.address.zoom == zoom && $0.tile != nil })
      #expect(!ground.patches.isEmpty)
    }
    // The finest that there is, however near the view is.
    let near = try #require(await tiles.ground(for: viewport(zoom: 18)))
    #expect(near.patches.map(\.address.zoom) == [14])
  }

  @Test func `the same tiles are the same ground, others are another`() async throws {
    let shelf = try StreetShelf()
    try shelf.addMonaco()
    let tiles = StreetTiles(folder: shelf.folder.path)
    let one = try #require(await tiles.ground(for: viewport(zoom: 17)))
    let beside = try #require(
      await tiles.ground(for: viewport(zoom: 17).panned(byColumns: 2, rows: 0)))
    #expect(one == beside && one != .none)
    let out = try #require(await tiles.ground(for: viewport(zoom: 11)))
    #expect(out != one)
  }

  @Test func `where a tile is missing a coarser one stands in, for its part only`() async throws {
    let shelf = try StreetShelf()
    let all = try StreetFixtures.tileNames.filter { $0.hasPrefix("monaco-12") }
    try shelf.add(
      "coarse", all.map { (try StreetFixtures.address($0), try StreetFixtures.tile($0)) })
    let name = StreetFixtures.monaco
    try shelf.add(
      "fine",
      [
        (try StreetFixtures.address(name), try StreetFixtures.tile(name)),
        (
          try #require(TileAddress(zoom: 12, x: 2132, y: 1493)),
          try StreetFixtures.tile("monaco-12-2132-1493")
        ),
      ])
    let tiles = StreetTiles(folder: shelf.folder.path)
    let ground = try #require(await tiles.ground(for: viewport(zoom: 14)))
    let fine = ground.patches.filter { $0.address.zoom == 14 }
    #expect(fine.count == 1)
    for patch in ground.patches where patch.address.zoom == 12 {
      // A patch of the finer archive covers one tile of zoom 14, not of zoom 12.
      #expect(patch.high.x - patch.low.x <= 1.0 / 4096 + 1e-12)
    }
    #expect(
      ground.patches.contains {
        $0.address.zoom == 12 && $0.high.x - $0.low.x < 1.0 / 16_384 + 1e-12
      })
    // The finer archive is drawn over the coarser one.
    let firstFine = try #require(ground.patches.firstIndex { $0.address.zoom == 14 })
    #expect(firstFine > 0)
  }

  @Test func `a damaged tile is no tile but a patch, and is reported once`() async throws {
    let shelf = try StreetShelf()
    let address = try StreetFixtures.address(StreetFixtures.monaco)
    try shelf.add("broken", [(address, [0x1A, 0xFF, 0xFF, 0xFF, 0x01])])
    let reports = Reports()
    let tiles = StreetTiles(folder: shelf.folder.path) { reports.add($0) }
    for zoom in [14.0, 14.25, 14] {
      let ground = try #require(await tiles.ground(for: viewport(zoom: zoom)))
      let patch = try #require(ground.patches.first { $0.address == address })
      #expect(patch.tile == nil)
    }
    // Another archive has all tiles read again, and the damaged one is not reported again.
    try shelf.addMonaco()
    #expect(await tiles.ground(for: viewport())?.patches.contains { $0.tile == nil } == true)
    #expect(reports.all.count == 1)
    #expect(reports.all.first?.contains("14/8529/5974") == true)
  }

  @Test func `an archive that comes, breaks or goes is noticed at the next view`() async throws {
    let shelf = try StreetShelf()
    let reports = Reports()
    let tiles = StreetTiles(folder: shelf.folder.path) { reports.add($0) }
    #expect(await tiles.ground(for: viewport())?.patches.isEmpty == true)
    try shelf.addMonaco()
    #expect(await tiles.ground(for: viewport())?.patches.isEmpty == false)
    try FileManager.default.removeItem(atPath: "\(shelf.folder.path)/monaco.pmtiles")
    #expect(await tiles.ground(for: viewport())?.patches.isEmpty == true)
    _ = try shelf.folder.file("text.pmtiles", Array("no archive".utf8))
    #expect(await tiles.ground(for: viewport())?.patches.isEmpty == true)
    #expect(reports.all.count == 1)
  }

  @Test func `an archive that shrinks while it is read leaves the world map`() async throws {
    let shelf = try StreetShelf()
    try shelf.addMonaco()
    let reports = Reports()
    let tiles = StreetTiles(folder: shelf.folder.path) { reports.add($0) }
    #expect(await tiles.ground(for: viewport(zoom: 10))?.patches.isEmpty == false)
    let handle = try #require(
      FileHandle(forWritingAtPath: "\(shelf.folder.path)/monaco.pmtiles"))
    try handle.truncate(atOffset: 200)
    try handle.close()
    let ground = try #require(await tiles.ground(for: viewport(zoom: 14)))
    #expect(ground.patches.allSatisfy { $0.tile == nil })
    #expect(!reports.all.isEmpty)
  }

  @Test func `a task that was cancelled gets nothing`() async throws {
    let shelf = try StreetShelf()
    try shelf.addMonaco()
    let tiles = StreetTiles(folder: shelf.folder.path)
    let viewport = viewport()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await tiles.ground(for: viewport)
    }
    #expect(await task.value == nil)
  }
}
