import RallyMap
import Testing

/// The fill is checked against another algorithm: a ray to the north through every edge of the decoded
/// coast, in world units.
struct LandMaskTests {
  private struct View: CustomTestStringConvertible, Sendable {
    let name: String
    let latitude: Double
    let longitude: Double
    let zoom: Double
    var testDescription: String { name }
  }

  private static let views = [
    View(name: "the whole world", latitude: 28, longitude: 11, zoom: -9),
    View(name: "Europe", latitude: 50, longitude: 10, zoom: 2),
    View(name: "the Alps and the Adriatic", latitude: 45, longitude: 12, zoom: 3.5),
    View(name: "inner Asia, no coast in sight", latitude: 44, longitude: 87, zoom: 6),
    View(name: "a desert close up", latitude: 24, longitude: 10, zoom: 10),
    View(name: "the open ocean", latitude: -40, longitude: -120, zoom: 6),
    View(name: "the dateline in the north", latitude: 66, longitude: 180, zoom: 2.5),
    View(name: "the dateline in Fiji", latitude: -17, longitude: 179.5, zoom: 5),
    View(name: "the north pole", latitude: 85, longitude: 40, zoom: 1.5),
    View(name: "the south pole", latitude: -85, longitude: -100, zoom: 1.25),
    View(name: "Antarctica over the dateline", latitude: -80, longitude: 180, zoom: 2),
    View(name: "the Azores", latitude: 38.5, longitude: -28, zoom: 5),
    View(name: "Hawaii", latitude: 20.5, longitude: -157, zoom: 5),
    View(name: "the Great Lakes", latitude: 45, longitude: -84, zoom: 3),
    View(name: "Lake Victoria", latitude: -1, longitude: 33, zoom: 4.25),
    View(name: "the Caspian", latitude: 42, longitude: 51, zoom: 3.25),
    View(name: "Lisbon", latitude: 38.7, longitude: -9.15, zoom: 9),
  ]

  @Test(arguments: views)
  private func `land is where a point in polygon says`(view: View) throws {
    let viewport = Viewport(
      center: GeoPoint(latitude: view.latitude, longitude: view.longitude), zoom: view.zoom,
      columns: 100, rows: 40)
    let frame = MapRenderer().frame(
      viewport, options: MapOptions(showsCountries: false, showsCities: false))
    let level = try WorldMap.shared.level(
      DetailLevel(unitsPerDot: WorldUnits.span / viewport.worldDots))
    let coast = Coast(level)
    for row in 0..<frame.rows {
      for column in 0..<frame.columns {
        let cell = frame[column, row]
        guard let point = viewport.point(inColumn: column, row: row) else {
          #expect(!cell.isLand || cell.ink == .outside)
          continue
        }
        if viewport.isWholeWorld, point.latitude < -60 {
          // Antarctica is left out of it.
          #expect(!cell.isLand)
          continue
        }
        #expect(
          cell.isLand == coast.isLand(point),
          "\(column) \(row) \(point.latitude) \(point.longitude)")
        if cell.ink == .land { #expect(cell.isLand) }
        if cell.ink == .sea { #expect(!cell.isLand && cell.scalar == " ") }
      }
    }
  }

  @Test func `known places are land or water`() {
    func isLand(_ latitude: Double, _ longitude: Double, zoom: Double = 7) -> Bool {
      let point = GeoPoint(latitude: latitude, longitude: longitude)
      let viewport = Viewport(center: point, zoom: zoom, columns: 41, rows: 21)
      let cell = viewport.position(of: point)
      return MapRenderer().frame(viewport)[Int(cell.column), Int(cell.row)].isLand
    }
    #expect(isLand(46.9, 8.2) && isLand(40, -3.7) && isLand(-25, 134) && isLand(-80, 0, zoom: 3))
    #expect(isLand(20.8, -156.3) && isLand(-17.8, 178.0) && isLand(66.5, -172.5))
    // The Adriatic, Lake Victoria, Lake Superior, the Caspian, the Bering sea, the Pacific.
    #expect(!isLand(43, 15) && !isLand(-1, 33) && !isLand(47.7, -87.5) && !isLand(42, 51))
    #expect(!isLand(58, 179.9) && !isLand(0, -150))
  }

  /// Every edge between land and water, sorted into strips by x.
  private struct Coast {
    private struct Edge {
      let x0: Double
      let y0: Double
      let x1: Double
      let y1: Double
    }

    private static let strips = 256
    private var strips: [[Edge]] = Array(repeating: [], count: Self.strips)

    init(_ level: WorldLevel) {
      for chunk in level.chunks where chunk.kind.bounds {
        for index in chunk.points.dropLast() {
          let edge = Edge(
            x0: Double(level.xs[index]), y0: Double(level.ys[index]),
            x1: Double(level.xs[index + 1]), y1: Double(level.ys[index + 1]))
          let first = Self.strip(min(edge.x0, edge.x1))
          for strip in first...Self.strip(max(edge.x0, edge.x1)) { strips[strip].append(edge) }
        }
      }
    }

    private static func strip(_ x: Double) -> Int {
      min(max(Int(x / WorldUnits.span * Double(strips)), 0), strips - 1)
    }

    func isLand(_ point: GeoPoint) -> Bool {
      let world = WorldPoint(point)
      let (x, y) = (world.x * WorldUnits.span, world.y * WorldUnits.span)
      var isLand = false
      for edge in strips[Self.strip(x)] where (edge.x0 <= x) != (edge.x1 <= x) {
        let share = (x - edge.x0) / (edge.x1 - edge.x0)
        let crossing = edge.y0 + share * (edge.y1 - edge.y0)
        if crossing < y { isLand.toggle() }
      }
      return isLand
    }
  }
}
