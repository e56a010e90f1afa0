import RallyMap
import Testing

struct EdgeArrowTests {
  private let lisbon = GeoPoint(latitude: 38.72, longitude: -9.14)
  private let options = MapOptions(showsCountries: false, showsCities: false)

  private func frame(_ markers: [MapMarker], zoom: Double = 7, glyphs: GlyphSet = .braille)
    -> MapFrame
  {
    var options = options
    options.glyphs = glyphs
    let view = Viewport(center: lisbon, zoom: zoom, columns: 80, rows: 24)
    return MapRenderer().frame(view, markers: markers, options: options)
  }

  private func marker(_ id: String, bearing: Double, kilometres: Double) -> MapMarker {
    MapMarker(
      id: id, point: lisbon.destination(bearing: bearing, distance: kilometres * 1000), label: id)
  }

  @Test func `who is out of view is pointed at from the edge, with the distance`() throws {
    let directions: [(Double, Character)] = [
      (0, "↑"), (45, "↗"), (90, "→"), (135, "↘"), (180, "↓"), (225, "↙"), (270, "←"), (315, "↖"),
    ]
    for (bearing, glyph) in directions {
      let frame = frame([marker("ana", bearing: bearing, kilometres: 700)])
      let arrow = try #require(frame.arrows.first)
      #expect(arrow.glyph == glyph)
      #expect(frame[arrow.column, arrow.row].ink == .arrow)
      #expect([0, 79].contains(arrow.column) || [0, 23].contains(arrow.row))
      #expect(abs(arrow.distance - 700_000) < 1)
      #expect(frame.text(of: arrow.span).contains("ana 700 km"))
      #expect(frame.arrow(atColumn: arrow.column, row: arrow.row) == arrow)
      #expect(frame.pins.isEmpty)
    }
  }

  @Test func `arrows in ASCII are ASCII`() throws {
    let frame = frame([marker("ana", bearing: 90, kilometres: 700)], glyphs: .ascii)
    #expect(try #require(frame.arrows.first).glyph == ">")
    #expect(frame.text.unicodeScalars.allSatisfy { $0.isASCII })
  }

  @Test func `an arrow takes the short way round the earth`() throws {
    let fiji = GeoPoint(latitude: -17.8, longitude: 178)
    let view = Viewport(center: fiji, zoom: 6, columns: 80, rows: 24)
    let samoa = MapMarker(
      id: "samoa", point: GeoPoint(latitude: -17.8, longitude: -171), label: "s")
    let frame = MapRenderer().frame(view, markers: [samoa], options: options)
    #expect(try #require(frame.arrows.first).glyph == "→")
  }

  @Test func `those in one direction share an arrow, the nearest first`() throws {
    func east(_ id: String, _ degrees: Double) -> MapMarker {
      MapMarker(
        id: id, point: GeoPoint(latitude: lisbon.latitude, longitude: lisbon.longitude + degrees))
    }
    let frame = frame([
      east("far", 40), east("near", 10), marker("north", bearing: 0, kilometres: 900),
    ])
    #expect(frame.arrows.count == 2)
    let east = try #require(frame.arrows.first { $0.ids.count == 2 })
    #expect(east.ids == ["near", "far"])
    #expect(frame.text(of: east.span) == "2 870 km→")
  }

  @Test func `distances count from where one is told`() throws {
    var options = options
    options.distanceOrigin = GeoPoint(latitude: 48.85, longitude: 2.35)
    let view = Viewport(center: lisbon, zoom: 7, columns: 80, rows: 24)
    let berlin = MapMarker(id: "b", point: GeoPoint(latitude: 52.52, longitude: 13.4))
    let frame = MapRenderer().frame(view, markers: [berlin], options: options)
    #expect(abs(try #require(frame.arrows.first).distance - 877_000) < 3000)
  }

  @Test func `an arrow never covers who is in view`() throws {
    let view = Viewport(center: lisbon, zoom: 7, columns: 80, rows: 24)
    let atEdge = try #require(view.point(inColumn: 79, row: 12))
    let inside = MapMarker(id: "in", point: atEdge)
    let frame = frame([inside, marker("out", bearing: 90, kilometres: 700)])
    let pin = try #require(frame.pin(of: "in"))
    #expect(frame[pin.column, pin.row].ink == .marker)
  }

  @Test func `arrows can be left out, for all and for one`() {
    var silent = marker("a", bearing: 0, kilometres: 900)
    silent.hasArrow = false
    #expect(frame([silent]).arrows.isEmpty)
    var options = options
    options.showsArrows = false
    let view = Viewport(center: lisbon, zoom: 7, columns: 80, rows: 24)
    let markers = [marker("a", bearing: 0, kilometres: 900)]
    #expect(MapRenderer().frame(view, markers: markers, options: options).arrows.isEmpty)
  }

  @Test func `distances are said in few words`() {
    let texts: [(Double, String)] = [
      (0, "0 m"), (87.4, "87 m"), (412, "410 m"), (998, "1 km"), (1449, "1.4 km"), (2000, "2 km"),
      (9_949, "9.9 km"), (9_960, "10 km"), (54_600, "55 km"), (9_558_600, "9560 km"),
      (.nan, "?"), (-1, "?"),
    ]
    for (metres, text) in texts { #expect(DistanceText(metres: metres).description == text) }
  }
}
