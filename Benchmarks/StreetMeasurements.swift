import Foundation
import RallyMap
import RallyStreets

/// Measures streets near by: 200x60 cells at zoom 16 in Paris, with people.
struct StreetMeasurements {
  let plan: Plan

  private let subject = "streets"
  private static let center = GeoPoint(latitude: 48.8719, longitude: 2.3423)
  private static let tiles = ["14-8298-5634", "14-8298-5635", "14-8299-5635"]

  /// - Throws: `BenchFailure` if the tiles of the tests cannot be read.
  func measure(into table: inout ResultTable) async throws {
    progress("streets")
    let folder = NSTemporaryDirectory() + "rally-bench-streets-\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try prepare(folder)
    let view = Viewport(center: Self.center, zoom: 16, columns: 200, rows: 60)

    var cold = Sample()
    for _ in 0..<10 {
      let streets = StreetTiles(folder: folder)
      let start = ContinuousClock.now
      let ground = await streets.ground(for: view) ?? .none
      _ = MapRenderer().frame(view, ground: ground)
      cold.add(ContinuousClock.now - start)
    }
    table.add(subject, "cold frame, tiles read and decoded, median", cold.quantile(0.5), target: 30)

    let streets = StreetTiles(folder: folder)
    let renderer = MapRenderer()
    let ground = await streets.ground(for: view) ?? .none
    _ = renderer.frame(view, ground: ground)
    var pan = Sample()
    var zoom = Sample()
    for step in 1...max(plan.keys, 20) {
      let panned = view.panned(byColumns: Double(step % 13 - 6), rows: Double(step % 7 - 3))
      pan.add(await time(panned, streets, renderer))
      zoom.add(await time(view.zoomed(by: step % 2 == 0 ? 0.5 : -0.5), streets, renderer))
    }
    table.add(subject, "pan step, 99 %", pan.quantile(0.99), target: 6)
    table.add(subject, "zoom step, 99 %", zoom.quantile(0.99), target: 12)
    let bytes = ground.patches.reduce(0) { $0 + ($1.tile?.byteCount ?? 0) }
    table.add(subject, "tiles of a view in memory", Double(bytes) / 1024, "KiB")
  }

  private func time(
    _ view: Viewport, _ streets: StreetTiles, _ renderer: MapRenderer
  ) async -> Duration {
    let start = ContinuousClock.now
    let ground = await streets.ground(for: view) ?? .none
    _ = renderer.frame(view, ground: ground)
    return ContinuousClock.now - start
  }

  /// Packs the tests' tiles of Paris into an archive.
  private func prepare(_ folder: String) throws {
    let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
      .appendingPathComponent("Tests/RallyStreetsTests/Fixtures/tiles")
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let writer = try PMTilesWriter(
        path: "\(folder)/paris.pmtiles", bounds: .world, metadata: Array("{}".utf8))
      for name in Self.tiles {
        let numbers = name.split(separator: "-").compactMap { Int($0) }
        guard let address = TileAddress(zoom: numbers[0], x: numbers[1], y: numbers[2]) else {
          continue
        }
        let file = fixtures.appendingPathComponent("paris-\(name).mvt.gz")
        try writer.add(address, [UInt8](try Data(contentsOf: file)))
      }
      try writer.finish()
    } catch {
      throw BenchFailure("the tiles of Paris cannot be packed: \(error)")
    }
  }
}
