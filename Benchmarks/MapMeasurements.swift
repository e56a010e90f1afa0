import Foundation
import RallyMap

/// Measures the map renderer in this process: frames of 200x60 cells with all layers.
struct MapMeasurements {
  let plan: Plan

  private let subject = "map engine"
  private static let columns = 200
  private static let rows = 60

  /// - Throws: `BenchFailure` if the world's data cannot be read.
  func measure(into table: inout ResultTable) throws {
    progress("the map's engine")
    try addMemory(into: &table)
    let europe = Viewport(
      center: GeoPoint(latitude: 48, longitude: 11), zoom: 3, columns: Self.columns,
      rows: Self.rows)
    let world = Viewport.wholeWorld(columns: Self.columns, rows: Self.rows)
    let people = Self.crowd(100, withTraces: true)
    let views: [(name: String, view: Viewport)] = [("world", world), ("Europe", europe)]
    for (name, view) in views {
      let panned = sample { step, renderer in
        renderer.frame(
          view.panned(byColumns: Double(step % 7 - 3), rows: Double(step % 3 - 1)),
          markers: people, options: Self.everything)
      }
      table.add(subject, "frame after a pan, \(name), median", panned.quantile(0.5), target: 2)
      var moving = people
      let moved = sample { step, renderer in
        moving[step % moving.count].point.longitude += 0.5
        return renderer.frame(view, markers: moving, options: Self.everything)
      }
      table.add(subject, "frame, only pins moved, \(name), median", moved.quantile(0.5), target: 1)
    }
    var crowd = Self.crowd(10_000, withTraces: false)
    let clustered = sample { step, renderer in
      crowd[step % crowd.count].point.longitude += 0.5
      return renderer.frame(world, markers: crowd, options: Self.everything)
    }
    table.add(subject, "frame, 10,000 pins clustered, median", clustered.quantile(0.5), target: 8)
  }

  private func addMemory(into table: inout ResultTable) throws {
    let clock = ContinuousClock.now
    var bytes = 0
    do {
      for detail in DetailLevel.allCases {
        let level = try WorldMap.shared.level(detail)
        bytes += (level.xs.count + level.ys.count) * MemoryLayout<UInt16>.stride
        bytes += level.chunks.count * MemoryLayout<LineChunk>.stride
      }
      _ = try WorldMap.shared.cities()
    } catch {
      throw BenchFailure("the world cannot be read: \(error)")
    }
    table.add(subject, "the whole world decoded", ContinuousClock.now - clock)
    table.add(subject, "all levels of detail in memory", Double(bytes) / 1024, "KiB")
  }

  /// Frame times of one renderer, without the first frame, which fills the caches.
  private func sample(_ frame: (Int, MapRenderer) -> MapFrame) -> Sample {
    let renderer = MapRenderer()
    var sample = Sample()
    _ = frame(0, renderer)
    for step in 1...max(plan.keys, 2) {
      let start = ContinuousClock.now
      let drawn = frame(step, renderer)
      sample.add(ContinuousClock.now - start)
      precondition(drawn.cells.count == Self.columns * Self.rows)
    }
    return sample
  }

  private static let everything = MapOptions(night: Date(timeIntervalSince1970: 1_795_262_400))

  /// Markers all over the world, the same in every run.
  private static func crowd(_ count: Int, withTraces: Bool) -> [MapMarker] {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    func unit() -> Double {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Double(state >> 11) / 9_007_199_254_740_992
    }
    return (0..<count).map { number in
      let point = GeoPoint(latitude: unit() * 125 - 55, longitude: unit() * 360 - 180)
      return MapMarker(
        id: "01234567-89ab-cdef-0123-\(number + 100_000)", point: point, label: "person\(number)",
        rank: Int(unit() * 4), accuracyMetres: withTraces ? 10_000 : nil,
        course: withTraces && number % 3 == 0 ? unit() * 360 : nil,
        trail: withTraces && number % 5 == 0
          ? [point.destination(bearing: 200, distance: 300_000)] : [])
    }
  }
}
