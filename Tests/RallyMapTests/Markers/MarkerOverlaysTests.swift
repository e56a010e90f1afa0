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
}
