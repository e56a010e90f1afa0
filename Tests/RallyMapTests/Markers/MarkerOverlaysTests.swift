import RallyMap
import Testing

struct MarkerOverlaysTests {
  private let sea = GeoPoint(latitude: 38, longitude: -30.5)
  private let options = MapOptions(showsCountries: false, showsCities: false)

  private func frame(_ marker: MapMarker, zoom: Double) -> MapFrame {
    let view = Viewport(center: marker.point, zoom: zoom, columns: 60, rows: 30)
    return MapRenderer().frame(view, markers: [marker], options: options)
  }

  @Test func `how exact a place is shows as a circle once it is wider than the glyph`() throws {
    let marker = MapMarker(id: "a", point: sea, tag: 7, accuracyMetres: 10_000)
    #expect(!frame(marker, zoom: 4).cells.contains { $0.ink == .area })
    let close = frame(marker, zoom: 8)
    var count = 0
    for row in 0..<close.rows {
      for column in 0..<close.columns where close[column, row].ink == .area {
        count += 1
        #expect(close[column, row].tag == 7)
        let point = try #require(close.viewport.point(inColumn: column, row: row))
        // Within a cell of ten kilometres: a dot is about 480 m here.
        #expect(abs(sea.distance(to: point) - 10_000) < 1800)
      }
    }
    #expect(count > 12)
  }

  @Test func `progress draws its share of the circle solid, clockwise from north`() {
    func dots(_ progress: Double?, _ isCounted: (_ column: Int, _ row: Int) -> Bool) -> Int {
      let marker = MapMarker(id: "a", point: sea, accuracyMetres: 10_000, progress: progress)
      let frame = frame(marker, zoom: 9)
      var count = 0
      for row in 0..<frame.rows {
        for column in 0..<frame.columns where frame[column, row].ink == .area {
          guard isCounted(column, row) else { continue }
          // A braille pattern has a bit for each dot.
          count += (frame[column, row].scalar.value & 0xff).nonzeroBitCount
        }
      }
      return count
    }
    let east = { (column: Int, _: Int) in column > 31 }
    let west = { (column: Int, _: Int) in column < 28 }
    // A dot in three without progress.
    #expect(dots(0.5, east) > 2 * dots(nil, east))
    #expect(dots(0.5, west) == dots(nil, west))
    #expect(dots(1, west) > 2 * dots(nil, west))
    #expect(dots(0, east) == dots(nil, east))
    // More than all is all.
    #expect(dots(7, west) == dots(1, west))
  }

  @Test func `a trail leads from where it began to the marker`() throws {
    let start = sea.destination(bearing: 270, distance: 20_000)
    let marker = MapMarker(id: "a", point: sea, tag: 3, trail: [start])
    let frame = frame(marker, zoom: 8)
    let begin = try #require(frame.viewport.cell(of: start))
    #expect(frame[Int(begin.column), Int(begin.row)].ink == .trail)
    let cells = frame.cells.filter { $0.ink == .trail }
    #expect(cells.count > 12 && cells.allSatisfy { $0.tag == 3 })
  }

  @Test func `a trail over the dateline does not cross the map`() {
    let marker = MapMarker(
      id: "a", point: GeoPoint(latitude: -30, longitude: 179.5),
      trail: [GeoPoint(latitude: -30, longitude: -179.5)])
    // The dateline is at the edges of this view.
    let view = Viewport(
      center: GeoPoint(latitude: 20, longitude: 0), zoom: -9, columns: 80, rows: 24)
    let world = MapRenderer().frame(view, markers: [marker], options: options)
    #expect(world.cells.count { $0.ink == .trail } < 4)
    let near = frame(marker, zoom: 6)
    #expect(near.cells.count { $0.ink == .trail } > 5)
  }

  @Test func `a course is an arrow beside the glyph`() throws {
    let directions: [(Double, String, Int, Int)] = [
      (0, "↑", 0, -1), (44, "↗", 1, -1), (92, "→", 1, 0), (135, "↘", 1, 1), (182, "↓", 0, 1),
      (225, "↙", -1, 1), (-90, "←", -1, 0), (675, "↖", -1, -1),
    ]
    for (course, glyph, columns, rows) in directions {
      let marker = MapMarker(id: "a", point: sea, label: "ana", course: course)
      let frame = frame(marker, zoom: 6)
      let pin = try #require(frame.pins.first)
      let cell = CellSpan(column: pin.column + columns, row: pin.row + rows, width: 1)
      #expect(frame.text(of: cell) == glyph)
      #expect(pin.label.map { !$0.overlaps(cell) } == true)
    }
  }

  @Test func `a disc lies over the cells that somebody may be in, and an important one on top`() {
    let viewport = Viewport(center: sea, zoom: 7, columns: 60, rows: 30)
    let radius = viewport.metresPerDot(at: sea) * 40
    let other = sea.destination(bearing: 90, distance: radius)
    let frame = MapRenderer().frame(
      viewport,
      markers: [
        MapMarker(id: "a", point: sea, rank: 1, tag: 3, accuracyMetres: radius),
        MapMarker(id: "b", point: other, tag: 4, accuracyMetres: radius),
      ])
    var seen: Set<UInt8> = []
    for row in 0..<30 {
      for column in 0..<60 {
        guard let point = viewport.point(inColumn: column, row: row) else { continue }
        let disc = frame[column, row].disc
        seen.insert(disc)
        // Mercator's scale changes a little over the disc.
        if point.distance(to: sea) < radius * 0.97 { #expect(disc == 3) }
        if point.distance(to: sea) > radius * 1.03 { #expect(disc != 3) }
        if point.distance(to: other) > radius * 1.03 { #expect(disc != 4) }
      }
    }
    #expect(seen == [0, 3, 4])
  }

  @Test func `a trail fades: its oldest third is sparse and has an ink of its own`() {
    let viewport = Viewport(center: sea, zoom: 7, columns: 100, rows: 20)
    let step = viewport.metresPerDot(at: sea) * 14
    let trail = (1...6).reversed().map {
      sea.destination(bearing: 270, distance: Double($0) * step)
    }
    let frame = MapRenderer().frame(
      viewport, markers: [MapMarker(id: "a", point: sea, trail: trail)])
    let row = (0..<20).max { one, other in
      func count(_ row: Int) -> Int { (0..<100).count { frame[$0, row].ink == .trail } }
      return count(one) < count(other)
    }
    let cells = (0..<100).map { frame[$0, row ?? 0] }
    #expect(cells.contains { $0.ink == .oldTrail })
    #expect(
      cells.lastIndex { $0.ink == .oldTrail } ?? 0 < cells.firstIndex { $0.ink == .trail } ?? 0)
    let old = frame.cells.filter { $0.ink == .oldTrail }
    #expect(old.reduce(0) { $0 + ($1.scalar.value & 0xFF).nonzeroBitCount } <= 14)
  }

  @Test func `a marker alone is its initial, one of several its glyph`() {
    func frame(_ count: Int) -> MapFrame {
      MapRenderer().frame(
        Viewport(center: sea, zoom: 4, columns: 60, rows: 20),
        markers: (0..<count).map {
          MapMarker(id: "\($0)", point: sea, glyph: "●", initial: "A", label: "ana")
        })
    }
    #expect(frame(1).text.contains("A ana") && !frame(1).text.contains("●"))
    #expect(frame(1).cells.count { $0.ink == .initial } == 1)
    #expect(frame(2).text.contains("●2"))
    #expect(!frame(2).cells.contains { $0.ink == .initial })
  }
}
