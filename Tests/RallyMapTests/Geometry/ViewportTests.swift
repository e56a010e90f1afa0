import Foundation
import RallyMap
import Testing

struct ViewportTests {
  private let lisbon = GeoPoint(latitude: 38.72, longitude: -9.14)

  @Test func `the centre is in the middle cell`() throws {
    let view = Viewport(center: lisbon, zoom: 9, columns: 80, rows: 20)
    let cell = try #require(view.cell(of: lisbon))
    #expect(abs(cell.column - 40) <= 0.5 && abs(cell.row - 10) <= 0.5)
  }

  @Test func `a cell's place lies in that cell`() throws {
    var random = Lehmer(seed: 7)
    for _ in 0..<300 {
      let view = Viewport(
        center: random.point(latitudes: -70...75), zoom: random.unit() * 18,
        columns: 20 + random.below(200), rows: 8 + random.below(60))
      let column = random.below(view.columns)
      let row = random.below(view.rows)
      guard let point = view.point(inColumn: column, row: row) else { continue }
      let cell = try #require(view.cell(of: point))
      #expect(abs(cell.column - Double(column) - 0.5) < 1e-3)
      #expect(abs(cell.row - Double(row) - 0.5) < 1e-3)
    }
  }

  @Test func `zoom stays between the whole world and the street`() {
    let view = Viewport(center: lisbon, zoom: 40, columns: 80, rows: 20)
    #expect(view.zoom == 18)
    #expect(view.zoomed(by: -60).zoom == view.lowestZoom)
    #expect(view.zoomed(by: -60).isWholeWorld)
    #expect(Viewport(center: lisbon, zoom: .nan, columns: 0, rows: -3).columns == 1)
  }

  @Test(arguments: [(80, 24), (60, 16), (51, 20), (200, 60), (300, 80), (400, 30), (40, 60)])
  func `the whole world is there and is not repeated`(columns: Int, rows: Int) throws {
    let view = Viewport.wholeWorld(columns: columns, rows: rows)
    // No wider than the grid, but for the lattice.
    #expect(view.worldDots <= Double(columns * 2) + 1e-6)
    for (latitude, longitude) in [
      (71.2, 25.8), (-54.8, -68.3), (64.5, -172.9), (66.0, -169.6), (-46.6, 168.3), (0, 0),
    ] {
      #expect(view.cell(of: GeoPoint(latitude: latitude, longitude: longitude)) != nil)
    }
    // Walking along the equator's row one meets each longitude once.
    let row = Int(view.position(of: GeoPoint(latitude: 0, longitude: 0)).row)
    let longitudes = (0..<columns).compactMap { view.point(inColumn: $0, row: row)?.longitude }
    let turned = zip(longitudes, longitudes.dropFirst()).filter { $1 < $0 }
    #expect(turned.count <= 1)
    #expect(Double(longitudes.count) <= view.worldDots / 2 + 1)
  }

  @Test func `margins beyond the world are no place`() {
    let wide = Viewport.wholeWorld(columns: 400, rows: 30)
    #expect(wide.point(inColumn: 0, row: 15) == nil)
    #expect(wide.point(inColumn: 200, row: 15) != nil)
    let high = Viewport.wholeWorld(columns: 40, rows: 60)
    #expect(high.point(inColumn: 20, row: 0) == nil)
    #expect(high.point(inColumn: 20, row: 30) != nil)
  }

  @Test func `panning moves by whole cells and leads back`() {
    var view = Viewport(center: lisbon, zoom: 5.25, columns: 81, rows: 23)
    let before = view.position(of: lisbon)
    for _ in 0..<37 { view = view.panned(byColumns: 1, rows: 0) }
    let after = view.position(of: lisbon)
    #expect(abs(before.column - 37 - after.column) < 1e-6 && abs(before.row - after.row) < 1e-6)
    let back = view.panned(byColumns: -37, rows: 0).position(of: lisbon)
    #expect(abs(before.column - back.column) < 1e-6)
  }

  @Test func `panning goes round the dateline`() {
    let fiji = GeoPoint(latitude: -17.8, longitude: 178)
    let view = Viewport(center: fiji, zoom: 5, columns: 240, rows: 60)
      .panned(byColumns: 100, rows: 0)
    #expect(view.center.longitude > -174 && view.center.longitude < -173)
    #expect(view.cell(of: fiji) != nil)
    #expect(view.cell(of: GeoPoint(latitude: -14, longitude: -171)) != nil)
  }

  @Test func `panning stops at the poles`() {
    var view = Viewport(center: lisbon, zoom: 4, columns: 80, rows: 20)
    for _ in 0..<100 { view = view.panned(byColumns: 0, rows: -10) }
    #expect(view.point(inColumn: 40, row: 0) != nil)
    #expect(view.position(of: GeoPoint(latitude: 85.05, longitude: 0)).row > -0.6)
    for _ in 0..<200 { view = view.panned(byColumns: 0, rows: 10) }
    #expect(view.position(of: GeoPoint(latitude: -85.05, longitude: 0)).row < 20.6)
  }

  @Test func `zooming keeps the place under the pointer`() throws {
    let view = Viewport(center: lisbon, zoom: 5, columns: 80, rows: 20)
    let held = try #require(view.point(inColumn: 63, row: 4))
    let close = view.zoomed(by: 2.5, around: (63, 4))
    let cell = close.position(of: held)
    #expect(abs(cell.column - 63.5) <= 1 && abs(cell.row - 4.5) <= 1)
    // And it is no drift: out again is where one was.
    let back = close.zoomed(by: -2.5, around: (63, 4)).position(of: held)
    #expect(abs(back.column - 63.5) <= 1 && abs(back.row - 4.5) <= 1)
  }

  @Test func `a new size keeps the place and the whole world`() {
    let view = Viewport(center: lisbon, zoom: 6, columns: 80, rows: 20)
    let wide = view.resized(columns: 120, rows: 40)
    #expect(wide.zoom == 6 && wide.center == view.center && wide.columns == 120)
    let world = Viewport.wholeWorld(columns: 80, rows: 20).resized(columns: 200, rows: 60)
    #expect(world.isWholeWorld)
  }

  @Test func `places fit, also over the dateline`() {
    let view = Viewport.wholeWorld(columns: 80, rows: 20)
    let people = [
      GeoPoint(latitude: -17.8, longitude: 178), GeoPoint(latitude: 21.3, longitude: -157.9),
      GeoPoint(latitude: -36.8, longitude: 174.8),
    ]
    let fitted = view.fitting(people)
    for point in people { #expect(fitted.cell(of: point) != nil) }
    #expect(fitted.zoom > view.zoom + 0.8)
    #expect(view.fitting([]) == view)
    #expect(view.fitting([lisbon]).zoom == 12)
    #expect(view.fitting([lisbon]).cell(of: lisbon) != nil)
  }
}
