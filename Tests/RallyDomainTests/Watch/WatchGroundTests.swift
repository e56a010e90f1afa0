import Foundation
import RallyStreets
import RallyTestSupport
import RallyWatch
import RallyWire
import Testing

@testable import RallyDomain

@Suite struct WatchGroundTests {
  @Test func `the lines around a cell are cut out of the archive, and fill one message at most`()
    async throws
  {
    let folder = try TemporaryFolder()
    let archive = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../RallyStreetsTests/Fixtures/monaco.pmtiles")
    try FileManager.default.copyItem(
      atPath: archive.path, toPath: folder.file("monaco.pmtiles"))
    let tiles = StreetTiles(folder: folder.path)
    let place = try #require(Coordinate(latitude: 43.7384, longitude: 7.4246))
    for (level, metres, unit) in [
      (GridLevel.oneKilometre, 1500, 0.1), (.tenKilometres, 8000, 1.0),
    ] {
      let cell = GridCell(containing: place, level: level)
      let ground = try #require(await WatchGround.around(cell, in: tiles))
      // It tells the cell, and nothing of where in it somebody is.
      #expect(ground.middle == cell.center)
      let ways = ground.lines.flatMap(\.points).flatMap { [abs(Int($0.x)), abs(Int($0.y))] }
      let farthest = Double(try #require(ways.max())) * unit
      #expect(farthest <= Double(metres))
      #expect(farthest > Double(metres) / 4, "\(farthest) m")
      #expect(ground.lines.contains { $0.kind == .road })
      let link = WatchAddress.random()
      #expect(ground.message(counter: 1, of: link).opened(as: .ground, of: link) != nil)
    }
    // Where the archive has nothing there are rings instead.
    let elsewhere = GridCell(containing: Samples.lisbon, level: .oneKilometre)
    #expect(await WatchGround.around(elsewhere, in: tiles) == nil)
  }
}
