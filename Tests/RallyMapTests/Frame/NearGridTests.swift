import Testing

@testable import RallyMap

/// The map near by where no street tiles are.
struct NearGridTests {
  /// On the quay of Lisbon: the built-in coast has the river here.
  private let quay = GeoPoint(latitude: 38.7072, longitude: -9.1365)

  private func frame(zoom: Double, origin: GeoPoint? = nil, at center: GeoPoint? = nil) -> MapFrame
  {
    MapRenderer().frame(
      Viewport(center: center ?? quay, zoom: zoom, columns: 80, rows: 24),
      options: MapOptions(distanceOrigin: origin))
  }

  @Test func `rings round oneself say how far they are`() {
    let frame = frame(zoom: 13, origin: quay)
    #expect(frame.needsStreets)
    #expect(frame.cells.contains { $0.ink == .ring })
    let labels = frame.text.split(separator: "\n").filter { $0.contains("500 m") }
    #expect(labels.count == 1)
    #expect(frame.text.contains("1 km"))
    // Each ring is where it says: half a kilometre east of the quay lies a dot of the first one.
    let east = quay.destination(bearing: 90, distance: 500)
    let cell = frame.viewport.position(of: east)
    let near = (-1...1).contains { step in
      frame[Int(cell.column) + step, Int(cell.row)].ink == .ring
    }
    #expect(near)
  }

  @Test func `a ring says how far it is beside the markers that stand on it`() {
    let viewport = Viewport(center: quay, zoom: 13, columns: 80, rows: 24)
    let markers = stride(from: 0.0, to: 360, by: 90).map { bearing in
      MapMarker(
        id: "\(bearing)", point: quay.destination(bearing: bearing, distance: 500),
        label: "friend", isClusterable: false)
    }
    let frame = MapRenderer().frame(
      viewport, markers: markers, options: MapOptions(distanceOrigin: quay))
    #expect(frame.pins.count == 4)
    #expect(frame.text.contains("500 m"))
    for pin in frame.pins {
      for span in [pin.span, pin.label].compactMap(\.self) {
        let inks = (span.column..<span.column + span.width).map { frame[$0, span.row].ink }
        #expect(!inks.contains(.gridLabel))
      }
    }
  }

  @Test
  func `rings follow the person whom they are round, and only them is the map drawn anew for`() {
    let moved = quay.destination(bearing: 90, distance: 300)
    for zoom in [13.0, 8] {
      let renderer = MapRenderer()
      let viewport = Viewport(center: quay, zoom: zoom, columns: 80, rows: 24)
      for place in [quay, moved] {
        let options = MapOptions(distanceOrigin: place)
        let fresh = MapRenderer().frame(viewport, options: options)
        #expect(renderer.frame(viewport, options: options).cells == fresh.cells)
      }
      #expect(renderer.basesDrawn == (zoom >= NearGrid.lowestZoom ? 2 : 1))
    }
  }

  @Test func `without a place to count from there are no rings and no distances`() {
    let frame = frame(zoom: 13)
    #expect(!frame.cells.contains { $0.ink == .ring || $0.ink == .gridLabel })
    #expect(frame.cells.contains { $0.ink == .grid })
  }

  @Test func `nobody is put into a river: no coast, no land, no sea`() {
    for zoom in [10.5, 11, 14, 18] {
      let frame = frame(zoom: zoom, origin: quay)
      #expect(!frame.cells.contains { [.coast, .lake, .land, .sea].contains($0.ink) }, "\(zoom)")
      #expect(frame.cells.allSatisfy { $0.fill == .none })
    }
  }

  @Test func `before that the coast is faint`() {
    func dots(_ zoom: Double) -> Int {
      frame(zoom: zoom).cells.filter { $0.ink == .coast }.reduce(0) {
        $0 + ($1.scalar.value >= 0x2800 ? ($1.scalar.value & 0xFF).nonzeroBitCount : 0)
      }
    }
    #expect(dots(9.25) > 0)
    #expect(Double(dots(9.25)) < Double(dots(8.75)) * 0.6)
  }

  @Test func `arrows lead to the nearest towns out of view`() {
    let text = frame(zoom: 13, origin: quay).text
    #expect(text.contains("Almada") || text.contains("Amadora") || text.contains("Barreiro"))
    #expect(text.contains(" km"))
  }

  @Test func `far from oneself the way to a town counts from the view, and the last row is free`() {
    let tokyo = GeoPoint(latitude: 35.68, longitude: 139.69)
    let frame = frame(zoom: 14, origin: tokyo)
    #expect(frame.text.contains(/(Almada|Amadora|Barreiro|Odivelas) \d{1,2}(\.\d)? km/))
    #expect(!(0..<frame.columns).contains { frame[$0, frame.rows - 1].ink == .cityLabel })
  }

  @Test func `the grid moves with the ground`() {
    let renderer = MapRenderer()
    let options = MapOptions(showsCities: false, showsArrows: false, distanceOrigin: quay)
    let start = Viewport(center: quay, zoom: 14, columns: 80, rows: 24)
    let one = renderer.frame(start, options: options)
    let moved = renderer.frame(start.panned(byColumns: 1, rows: 1), options: options)
    var same = 0
    for row in 0..<22 {
      for column in 0..<78 {
        let (before, after) = (one[column + 1, row + 1], moved[column, row])
        guard before.ink == .grid, after.ink == .grid else { continue }
        #expect(before.scalar == after.scalar)
        same += 1
      }
    }
    #expect(same > 50)
  }

  @Test func `far from oneself the grid has no distances`() {
    let frame = frame(
      zoom: 14, origin: quay, at: GeoPoint(latitude: -33.86, longitude: 151.2))
    #expect(!frame.cells.contains { $0.ink == .ring })
    #expect(frame.cells.contains { $0.ink == .grid })
  }
}
