import RallyMap
import Testing

@testable import RallyStreets

/// What holds for every frame near by, tried on Monaco and Paris.
@Suite struct GroundFrameTests {
  private func tiles() throws -> (StreetShelf, StreetTiles) {
    let shelf = try StreetShelf()
    try shelf.addMonaco()
    try shelf.addParis()
    return (shelf, StreetTiles(folder: shelf.folder.path))
  }

  private func names(_ frame: MapFrame) -> [(name: String, column: Int, row: Int, width: Int)] {
    frame.names.compactMap { name in
      guard case .ground(let text) = name.place else { return nil }
      return (text, name.span.column, name.span.row, name.span.width)
    }
  }

  @Test(arguments: [12.0, 14, 15, 16, 17, 18])
  func `no two names overlap or touch, and none is there twice`(zoom: Double) async throws {
    let (shelf, tiles) = try tiles()
    for place in [StreetShelf.monaco, StreetShelf.paris] {
      let viewport = Viewport(center: place, zoom: zoom, columns: 120, rows: 40)
      let ground = try #require(await tiles.ground(for: viewport))
      let frame = MapRenderer().frame(viewport, ground: ground)
      let found = names(frame)
      if zoom >= 14 { #expect(found.count > 1, "\(zoom)") }
      #expect(Set(found.map(\.name)).count == found.count)
      for (index, one) in found.enumerated() {
        for other in found[(index + 1)...] {
          let isApart =
            abs(one.row - other.row) > 1 || one.column + one.width <= other.column
            || other.column + other.width <= one.column
          #expect(isApart, "\(one) and \(other)")
        }
      }
    }
    _ = shelf
  }

  @Test func `names stay at their streets while the map moves`() async throws {
    let (shelf, tiles) = try tiles()
    let renderer = MapRenderer()
    var viewport = Viewport(center: StreetShelf.paris, zoom: 16, columns: 120, rows: 40)
    let ground = try #require(await tiles.ground(for: viewport))
    var last = names(renderer.frame(viewport, ground: ground))
    var kept = 0
    for _ in 0..<10 {
      viewport = viewport.panned(byColumns: 3, rows: 1)
      let next = names(renderer.frame(viewport, ground: ground))
      for name in next {
        guard let before = last.first(where: { $0.name == name.name }) else { continue }
        let isInView = before.column >= 3 && before.row >= 1
        if isInView {
          #expect(before.column - 3 == name.column && before.row - 1 == name.row, "\(name)")
          kept += 1
        }
      }
      last = next
    }
    #expect(kept > 50)
    _ = shelf
  }

  @Test func `people keep their pins and names over every street`() async throws {
    let (shelf, tiles) = try tiles()
    let viewport = Viewport(center: StreetShelf.paris, zoom: 16, columns: 80, rows: 24)
    let ground = try #require(await tiles.ground(for: viewport))
    let markers = (0..<8).map { index in
      MapMarker(
        id: "\(index)",
        point: GeoPoint(
          latitude: 48.8660 + Double(index - 4) * 0.0001,
          longitude: 2.34 + Double(index % 3 - 1) * 0.001),
        label: "friend\(index)", isClusterable: false)
    }
    let frame = MapRenderer().frame(viewport, markers: markers, ground: ground)
    #expect(frame.pins.count == 8)
    for pin in frame.pins { #expect(frame[pin.span.column, pin.span.row].ink == .marker) }
    let labelled = frame.pins.compactMap(\.label)
    #expect(!labelled.isEmpty)
    for label in labelled { #expect(frame[label.column, label.row].ink == .markerLabel) }
    _ = shelf
  }

  @Test func `outside of an archive the built-in world goes on`() async throws {
    let (shelf, tiles) = try tiles()
    // Monaco's archive ends a few kilometres around it.
    let viewport = Viewport(
      center: StreetShelf.monaco, zoom: 9.25, columns: 100, rows: 30)
    let ground = try #require(await tiles.ground(for: viewport))
    let frame = MapRenderer().frame(viewport, ground: ground)
    #expect(frame.cells.contains { $0.ink == .coast })
    #expect(frame.cells.contains { $0.ink == .primaryRoad || $0.ink == .motorway })
    #expect(frame.names.contains { if case .city = $0.place { true } else { false } })
    #expect(!frame.needsStreets)
    _ = shelf
  }

  @Test func `tiles meet without a gap`() throws {
    let whole = (low: WorldPoint(x: 0, y: 0), high: WorldPoint(x: 1, y: 1))
    for step in 0..<40 {
      let viewport = Viewport(
        center: StreetShelf.monaco, zoom: 13 + Double(step % 8) * 0.25, columns: 80, rows: 24
      ).panned(byColumns: Double(step), rows: Double(step))
      let ground = MapGround(
        patches: viewport.tiles(zoom: 14).map {
          MapGround.Patch(
            GroundTile(address: $0, extent: 4096), at: $0, low: whole.low, high: whole.high)
        }, revision: step + 1)
      let frame = MapRenderer().frame(
        viewport, ground: ground, options: MapOptions(fillStyle: .background))
      #expect(frame.cells.allSatisfy { $0.fill == .town && $0.upperFill == .town }, "\(step)")
    }
  }

  @Test func `a tile that cannot be read is hatched`() throws {
    let address = TileAddress(containing: WorldPoint(StreetShelf.monaco), zoom: 14)
    let origin = address.origin
    let ground = MapGround(
      patches: [
        MapGround.Patch(
          nil, at: address, low: origin,
          high: WorldPoint(x: origin.x + address.side, y: origin.y + address.side))
      ], revision: 1)
    let viewport = Viewport(center: StreetShelf.monaco, zoom: 16, columns: 60, rows: 20)
    for style in [MapOptions.FillStyle.stipple, .background] {
      let frame = MapRenderer().frame(
        viewport, ground: ground, options: MapOptions(fillStyle: style))
      let hatched = frame.cells.filter { $0.ink == .unreadable && $0.scalar != " " }
      #expect(hatched.count > 500)
    }
  }
}
