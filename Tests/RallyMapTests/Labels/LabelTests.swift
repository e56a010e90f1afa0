import RallyMap
import Testing

struct LabelTests {
  private let bare = MapOptions(showsCountries: false, showsCities: false)

  private func crowd(_ count: Int, _ random: inout Lehmer) -> [MapMarker] {
    (0..<count).map { number in
      MapMarker(
        id: "p\(number)", point: random.point(latitudes: -60...75),
        label: String(repeating: "x", count: 1 + random.below(14)), rank: random.below(4))
    }
  }

  @Test func `labels never overlap each other nor a pin`() {
    var random = Lehmer(seed: 31)
    let renderer = MapRenderer()
    for _ in 0..<150 {
      let view = Viewport(
        center: random.point(latitudes: -60...70), zoom: random.unit() * 9 - 1,
        columns: 30 + random.below(140), rows: 10 + random.below(40))
      let frame = renderer.frame(view, markers: crowd(40, &random))
      let taken = frame.taken.sorted {
        ($0.span.row, $0.span.column) < ($1.span.row, $1.span.column)
      }
      for item in taken { #expect(item.span.isOn(frame), "\(item.what)") }
      for (left, right) in zip(taken, taken.dropFirst()) {
        #expect(!left.span.overlaps(right.span), "\(left.what) and \(right.what)")
      }
    }
  }

  @Test func `between two names there is a gap`() {
    var random = Lehmer(seed: 32)
    let renderer = MapRenderer()
    for _ in 0..<60 {
      let view = Viewport(
        center: random.point(latitudes: -40...60), zoom: random.unit() * 6, columns: 120, rows: 40)
      let names = renderer.frame(view).names
      for (index, name) in names.enumerated() {
        for other in names[(index + 1)...] { #expect(!name.span.overlaps(other.span, margin: 1)) }
      }
    }
  }

  @Test func `names stay where they are while one pans`() {
    var random = Lehmer(seed: 33)
    var kept = 0
    for _ in 0..<12 {
      let renderer = MapRenderer()
      var view = Viewport(
        center: random.point(latitudes: 0...55), zoom: 1.5 + random.unit() * 3, columns: 120,
        rows: 40)
      var before = renderer.frame(view)
      for _ in 0..<15 {
        view = view.panned(
          byColumns: Double(random.below(5) - 2), rows: Double(random.below(3) - 1))
        let after = renderer.frame(view)
        for name in after.names {
          guard let old = before.names.first(where: { $0.place == name.place }) else { continue }
          let stood = CellSpan(
            column: name.anchor.column + old.span.column - old.anchor.column,
            row: name.anchor.row + old.span.row - old.anchor.row, width: name.span.width)
          if stood == name.span {
            kept += 1
            continue
          }
          // It moved only where it had to: off the grid, or somebody more important came.
          let isPushed = after.names.contains {
            $0.place != name.place
              && (stood.overlaps($0.span, margin: 1) || stood.overlaps($0.anchor, margin: 1))
          }
          #expect(!stood.isOn(after) || isPushed)
        }
        before = after
      }
    }
    #expect(kept > 1000)
  }

  @Test func `a label does not jump back when its first place becomes free`() throws {
    let here = GeoPoint(latitude: 38, longitude: -40)
    let view = Viewport(center: here, zoom: 6, columns: 60, rows: 20)
    let cell = try #require(view.cell(of: here))
    let ana = MapMarker(id: "ana", point: here, label: "ana")
    func at(_ columns: Int) throws -> MapMarker {
      let point = try #require(view.point(inColumn: Int(cell.column) + columns, row: Int(cell.row)))
      return MapMarker(id: "block\(columns)", point: point, rank: 5, isClusterable: false)
    }
    let renderer = MapRenderer()
    let first = try #require(
      renderer.frame(view, markers: [ana], options: bare).pin(of: "ana")?.label)
    #expect(first.column == Int(cell.column) + 1)
    let blocked = try #require(
      renderer.frame(view, markers: [ana, at(3)], options: bare).pin(of: "ana")?.label)
    #expect(blocked.column == Int(cell.column) - 3)
    let freed = try #require(
      renderer.frame(view, markers: [ana], options: bare).pin(of: "ana")?.label)
    #expect(freed == blocked)
    // At another zoom everything is chosen anew.
    let zoomed = renderer.frame(view.zoomed(by: 1), markers: [ana], options: bare)
    let pin = try #require(zoomed.pin(of: "ana"))
    #expect(pin.label?.column == pin.column + 1)
  }

  @Test func `wide characters take two cells`() throws {
    let here = GeoPoint(latitude: 38, longitude: -40)
    let view = Viewport(center: here, zoom: 6, columns: 60, rows: 20)
    let kenji = MapMarker(id: "k", point: here, label: "田中 健司")
    let renderer = MapRenderer { character in
      character.unicodeScalars.contains { $0.value >= 0x2e80 } ? 2 : 1
    }
    let frame = renderer.frame(view, markers: [kenji], options: bare)
    let label = try #require(frame.pins.first?.label)
    #expect(label.width == 9)
    #expect(frame.text(of: label) == "田中 健司")
    #expect(frame[label.column + 1, label.row].isContinuation)
    #expect(frame.character(atColumn: label.column + 1, row: label.row) == nil)
    #expect(frame.pin(atColumn: label.column + 1, row: label.row)?.ids == ["k"])
  }

  @Test func `a character of many scalars stays whole`() throws {
    let here = GeoPoint(latitude: 38, longitude: -40)
    let view = Viewport(center: here, zoom: 6, columns: 60, rows: 20)
    let family = MapMarker(id: "f", point: here, label: "👩‍👩‍👧 e\u{301}va")
    let frame = MapRenderer().frame(view, markers: [family], options: bare)
    #expect(frame.text(of: try #require(frame.pins.first?.label)) == "👩‍👩‍👧 e\u{301}va")
  }

  @Test func `long labels are cut`() throws {
    let here = GeoPoint(latitude: 38, longitude: -40)
    let view = Viewport(center: here, zoom: 6, columns: 80, rows: 20)
    let long = MapMarker(id: "l", point: here, label: String(repeating: "ab", count: 40))
    let frame = MapRenderer().frame(view, markers: [long], options: bare)
    #expect(frame.text(of: try #require(frame.pins.first?.label)) == "ababababababababab" + "a…")
  }

  @Test func `the closer one comes, the smaller the cities that are named`() throws {
    let paris = GeoPoint(latitude: 48.86, longitude: 2.35)
    func view(_ zoom: Double) -> MapFrame {
      MapRenderer().frame(Viewport(center: paris, zoom: zoom, columns: 100, rows: 30))
    }
    #expect(view(2).name("Paris") != nil)
    #expect(view(2).name("Orléans") == nil)
    #expect(view(5).name("Orléans") != nil)
    #expect(view(8).name("Versailles") != nil)
    // A country's name while its area is wider than the name and before it fills the view.
    #expect(view(2).name("FRANCE") != nil)
    #expect(view(7).name("FRANCE") == nil)
  }

  @Test func `capitals come before larger towns of their country`() {
    let view = Viewport(
      center: GeoPoint(latitude: 46.9, longitude: 8), zoom: 3, columns: 100, rows: 30)
    let frame = MapRenderer().frame(view)
    let bern = frame.name("Bern")
    #expect(bern != nil)
    if let bern { #expect(frame[bern.span.column, bern.span.row].isCapital) }
    if let bern { #expect(frame.text(of: bern.anchor) == "◦") }
  }

  @Test func `names are few on a small map`() {
    let small = MapRenderer().frame(.wholeWorld(columns: 60, rows: 16))
    #expect(small.names.filter { if case .city = $0.place { true } else { false } }.count <= 6)
    #expect(!small.names.isEmpty)
  }
}
