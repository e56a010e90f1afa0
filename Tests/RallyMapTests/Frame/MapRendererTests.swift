import Foundation
import Testing

@testable import RallyMap

struct MapRendererTests {
  private let lisbon = GeoPoint(latitude: 38.72, longitude: -9.14)
  private let tokyo = GeoPoint(latitude: 35.68, longitude: 139.7)

  @Test func `a marker that moves changes only its own cells`() throws {
    let renderer = MapRenderer()
    let view = Viewport.wholeWorld(columns: 120, rows: 40)
    let options = MapOptions(showsCountries: false, showsCities: false)
    var people = [
      MapMarker(id: "ana", point: lisbon, label: "ana"),
      MapMarker(id: "kenji", point: tokyo, label: "kenji"),
    ]
    let before = renderer.frame(view, markers: people, options: options)
    people[0].point = GeoPoint(latitude: 10, longitude: -40)
    let after = renderer.frame(view, markers: people, options: options)
    #expect(renderer.basesDrawn == 1)
    let own = [before, after].flatMap { frame -> [CellSpan] in
      guard let pin = frame.pin(of: "ana") else { return [] }
      return [pin.span, pin.label].compactMap { $0?.widened }
    }
    var changed = 0
    for row in 0..<view.rows {
      for column in 0..<view.columns where before[column, row] != after[column, row] {
        changed += 1
        #expect(own.contains { $0.contains(column: column, row: row) })
      }
    }
    #expect((1...20).contains(changed))
    // And the frame is the one that a fresh renderer draws.
    #expect(MapRenderer().frame(view, markers: people, options: options) == after)
  }

  @Test func `the base is drawn again for another view and for nothing else`() {
    let renderer = MapRenderer()
    let view = Viewport(center: lisbon, zoom: 5, columns: 80, rows: 24)
    var options = MapOptions()
    _ = renderer.frame(view, options: options)
    options.night = Date(timeIntervalSince1970: 1_795_262_400)
    options.glyphs = .ascii
    options.showsCities = false
    _ = renderer.frame(view, markers: [MapMarker(id: "a", point: tokyo)], options: options)
    // A centre that lies in the same cell shows the same lattice.
    let nudged = view.showing(
      GeoPoint(latitude: view.center.latitude + 1e-9, longitude: view.center.longitude))
    _ = renderer.frame(nudged, options: options)
    #expect(renderer.basesDrawn == 1)
    _ = renderer.frame(view.panned(byColumns: 1, rows: 0), options: options)
    #expect(renderer.basesDrawn == 2)
    _ = renderer.frame(view.panned(byColumns: 1, rows: 0).zoomed(by: 0.25), options: options)
    #expect(renderer.basesDrawn == 3)
    options.showsBorders = false
    _ = renderer.frame(view.panned(byColumns: 1, rows: 0).zoomed(by: 0.25), options: options)
    #expect(renderer.basesDrawn == 4)
  }

  @Test func `the map keeps its dots while one pans`() {
    var random = Lehmer(seed: 41)
    let options = MapOptions(showsCountries: false, showsCities: false)
    for _ in 0..<20 {
      let view = Viewport(
        center: random.point(latitudes: -50...60), zoom: 1 + random.unit() * 6, columns: 100,
        rows: 40)
      let (columns, rows) = (random.below(9) - 4, random.below(5) - 2)
      let before = MapRenderer().frame(view, options: options)
      let after = MapRenderer().frame(
        view.panned(byColumns: Double(columns), rows: Double(rows)), options: options)
      var same = 0
      var all = 0
      // A line that leaves the view may end a dot differently at its edge.
      for row in 6..<34 {
        for column in 8..<92 {
          all += 1
          if before[column, row] == after[column - columns, row - rows] { same += 1 }
        }
      }
      #expect(Double(same) >= Double(all) * 0.99)
    }
  }

  @Test func `a broken world is a sea with people on it`() {
    let renderer = MapRenderer(world: WorldMap(bytes: []))
    let view = Viewport.wholeWorld(columns: 80, rows: 24)
    let frame = renderer.frame(view, markers: [MapMarker(id: "ana", point: lisbon, label: "ana")])
    #expect(renderer.worldError == .notAWorldMap)
    #expect(frame.pins.count == 1)
    #expect(frame.cells.allSatisfy { $0.ink != .land && $0.ink != .coast })
    let whole = MapRenderer()
    _ = whole.frame(view)
    #expect(whole.worldError == nil)
  }

  @Test(arguments: 1...6)
  func `every view of every size is drawn, with people anywhere`(seed: Int) {
    var random = Lehmer(seed: UInt64(seed))
    let renderer = MapRenderer { $0 == "漢" ? 2 : 1 }
    for _ in 0..<150 {
      let home = random.point(latitudes: -90...90)
      let zoom = random.unit() * 18
      let columns = 1 + random.below(random.below(2) == 0 ? 8 : 140)
      let rows = 1 + random.below(random.below(2) == 0 ? 4 : 50)
      let reach = random.below(2) == 0 ? 2_000.0 : 20_000_000
      let markers = (0..<random.below(12)).map { number in
        MapMarker(
          id: "\(number)",
          point: home.destination(bearing: random.unit() * 360, distance: random.unit() * reach),
          glyph: random.below(3) == 0 ? "漢" : "●",
          label: random.below(3) == 0 ? "" : "漢ana\(number)",
          rank: random.below(3), accuracyMetres: random.unit() * random.unit() * 20_000,
          course: random.below(2) == 0 ? random.unit() * 360 : nil,
          trail: (0..<random.below(4)).map { _ in random.point(latitudes: -90...90) })
      }
      let options = MapOptions(
        glyphs: GlyphSet.allCases[random.below(GlyphSet.allCases.count)],
        fillStyle: [.stipple, .background, .none][random.below(3)],
        night: random.below(2) == 0
          ? Date(timeIntervalSince1970: 1_700_000_000 + random.unit() * 31_000_000) : nil,
        distanceOrigin: random.below(2) == 0
          ? home.destination(bearing: random.unit() * 360, distance: random.unit() * reach) : nil)
      let view = Viewport(center: home, zoom: zoom, columns: columns, rows: rows)
      let frame = renderer.frame(view, markers: markers, options: options)
      #expect(frame.cells.count == columns * rows)
    }
  }

  @Test func `what is not a number and grids of one cell do no harm`() {
    let odd = [Double.nan, .infinity, -.infinity, 1e300, -1e300, 91, 720]
    let renderer = MapRenderer { _ in 2 }
    for (columns, rows) in [(1, 1), (2, 1), (1, 30), (40, 12), (-4, 0)] {
      for value in odd {
        let point = GeoPoint(latitude: value, longitude: value)
        let marker = MapMarker(
          id: "odd", point: point, label: "odd", accuracyMetres: value, course: value,
          trail: [lisbon, point])
        let sane = MapMarker(
          id: "sane", point: lisbon, glyph: "👩‍👩‍👧", label: "ana", accuracyMetres: value, course: value,
          trail: [point])
        for view in [
          Viewport.wholeWorld(columns: columns, rows: rows),
          Viewport(center: point, zoom: value, columns: columns, rows: rows),
          Viewport(center: lisbon, zoom: 18, columns: columns, rows: rows).fitting([point, tokyo]),
        ] {
          let options = MapOptions(night: .distantFuture, distanceOrigin: point)
          let frame = renderer.frame(view, markers: [marker, sane], options: options)
          #expect(frame.cells.count == frame.columns * frame.rows)
        }
      }
    }
  }

  @Test func `beyond the world there is nothing`() {
    let frame = MapRenderer().frame(.wholeWorld(columns: 200, rows: 20))
    for row in 0..<20 {
      for column in [0, 1, 198, 199] {
        #expect(frame[column, row].ink == .outside && frame[column, row].isBlank)
      }
    }
    #expect(frame.cells.contains { $0.ink == .coast })
  }

  @Test func `what is round the world is painted as its sea, in the light of its longitude`() {
    let frame = MapRenderer().frame(
      .wholeWorld(columns: 200, rows: 20),
      options: MapOptions(
        fillStyle: .background, night: Date(timeIntervalSince1970: 1_795_300_000)))
    let outside = frame.cells.filter { $0.ink == .outside }
    #expect(outside.count > 20 * 20)
    #expect(outside.allSatisfy { $0.fill == .sea && $0.upperFill == .sea })
    #expect(Set(outside.map(\.night)).count > 1)
  }

  @Test func `Antarctica is left out of the whole world, unless somebody is there`() throws {
    let renderer = MapRenderer()
    let view = Viewport.wholeWorld(columns: 60, rows: 40)
    func land(_ frame: MapFrame) -> Int {
      (0..<frame.rows).reduce(0) { count, row in
        guard let point = view.point(inColumn: 30, row: row), point.latitude < -60 else {
          return count
        }
        return count
          + (0..<frame.columns).count(where: {
            let cell = frame[$0, row]
            return cell.isLand || cell.ink == .coast || cell.ink == .countryLabel
          })
      }
    }
    let options = MapOptions(fillStyle: .background)
    #expect(land(renderer.frame(view, options: options)) == 0)
    let station = MapMarker(
      id: "ana", point: GeoPoint(latitude: -77.85, longitude: 166.67), label: "ana")
    #expect(land(renderer.frame(view, markers: [station], options: options)) > 100)
    #expect(land(renderer.frame(view, options: options)) == 0)
    let near = view.showing(GeoPoint(latitude: -75, longitude: 0), zoom: 2)
    #expect(renderer.frame(near, options: options).cells.count(where: \.isLand) > 100)
  }

  @Test func `land is told by a background or by its coast, never by dots`() {
    let view = Viewport(
      center: GeoPoint(latitude: 48, longitude: 20), zoom: 3, columns: 60, rows: 20)
    func frame(_ fill: MapOptions.FillStyle) -> MapFrame {
      MapRenderer().frame(
        view, options: MapOptions(fillStyle: fill, showsCountries: false, showsCities: false))
    }
    let lines = frame(.stipple)
    let painted = frame(.background)
    #expect(lines.cells.contains { $0.ink == .coast })
    for frame in [lines, painted] {
      #expect(frame.cells.contains { $0.ink == .land })
      #expect(!frame.cells.contains { $0.ink == .land && $0.scalar != " " })
    }
    #expect(lines.cells.map(\.isLand) == painted.cells.map(\.isLand))
    #expect(frame(.none).text == painted.text)
  }

  @Test func `detail can be had coarser and finer`() {
    let view = Viewport(
      center: GeoPoint(latitude: 62, longitude: 7), zoom: 4, columns: 80, rows: 24)
    func frame(_ bias: Int) -> String {
      MapRenderer().frame(
        view, options: MapOptions(showsCountries: false, showsCities: false, detailBias: bias)
      ).text
    }
    #expect(frame(0) != frame(-2))
    #expect(frame(9) == frame(1) && frame(-9) == frame(-3))
  }

  @Test func `borders come with zoom and can be left out`() {
    func inks(_ zoom: Double, borders: Bool = true) -> Set<MapInk> {
      let view = Viewport(
        center: GeoPoint(latitude: 46, longitude: -100), zoom: zoom, columns: 100, rows: 40)
      return Set(
        MapRenderer().frame(view, options: MapOptions(showsBorders: borders)).cells.map(\.ink))
    }
    #expect(!inks(1).contains(.border) && !inks(1).contains(.state))
    #expect(inks(2).contains(.border) && !inks(2).contains(.state))
    #expect(inks(3.5).contains(.state))
    #expect(inks(3.5, borders: false).isDisjoint(with: [.border, .state, .disputed]))
  }

  @Test func `what lies under a cell can be asked for`() throws {
    let view = Viewport.wholeWorld(columns: 80, rows: 24)
    let frame = MapRenderer().frame(
      view, markers: [MapMarker(id: "ana", point: tokyo, label: "ana")])
    let pin = try #require(frame.pin(of: "ana"))
    #expect(frame.pin(atColumn: pin.column, row: pin.row) == pin)
    let label = try #require(pin.label)
    #expect(frame.pin(atColumn: label.column + label.width - 1, row: label.row) == pin)
    #expect(frame.pin(atColumn: 0, row: 23) == nil)
    #expect(frame.scaleBar?.label == "5000 km")
  }
}
