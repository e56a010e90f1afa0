import RallyMap
import Testing

struct MarkerClustersTests {
  private let options = MapOptions(showsCountries: false, showsCities: false)

  private func crowd(_ count: Int, seed: UInt64) -> [MapMarker] {
    var random = Lehmer(seed: seed)
    return (0..<count).map { number in
      MapMarker(
        id: "person\(number)", point: random.point(latitudes: -60...75), label: "p\(number)",
        rank: random.below(3))
    }
  }

  @Test func `neighbours are one marker with a count`() throws {
    let view = Viewport.wholeWorld(columns: 80, rows: 24)
    let people = [
      MapMarker(id: "b", point: GeoPoint(latitude: 52.2, longitude: 21), label: "bea", rank: 1),
      MapMarker(id: "a", point: GeoPoint(latitude: 52.3, longitude: 21.1), label: "ana", rank: 1),
      MapMarker(id: "c", point: GeoPoint(latitude: 50.1, longitude: 19.9), label: "cai", rank: 2),
    ]
    let frame = MapRenderer().frame(view, markers: people, options: options)
    let pin = try #require(frame.pins.first)
    #expect(frame.pins.count == 1)
    // By rank, then by id.
    #expect(pin.ids == ["c", "a", "b"])
    #expect(pin.isCluster && pin.count == 3)
    #expect(frame.text(of: pin.span) == "●3")
    #expect(frame.text(of: try #require(pin.label)) == "cai…")
  }

  @Test func `clusters come apart as one zooms`() {
    let warsaw = GeoPoint(latitude: 52.23, longitude: 21.0)
    let people = (0..<12).map { number in
      MapMarker(
        id: "p\(number)", point: warsaw.destination(bearing: Double(number) * 30, distance: 3000))
    }
    var counts: [Int] = []
    var view = Viewport(center: warsaw, zoom: 3, columns: 80, rows: 24)
    while view.zoom < 11 {
      counts.append(MapRenderer().frame(view, markers: people, options: options).pins.count)
      view = view.zoomed(by: 1)
    }
    #expect(counts.first == 1)
    #expect(counts.last == 12)
    #expect(counts == counts.sorted())
  }

  @Test func `everybody in view is in exactly one pin`() {
    var random = Lehmer(seed: 2)
    let people = crowd(800, seed: 4)
    for _ in 0..<30 {
      let view = Viewport(
        center: random.point(latitudes: -50...60), zoom: random.unit() * 5, columns: 90, rows: 30)
      let frame = MapRenderer().frame(view, markers: people, options: options)
      let shown = frame.pins.flatMap(\.ids)
      #expect(Set(shown).count == shown.count)
      #expect(Set(shown) == Set(people.filter { view.cell(of: $0.point) != nil }.map(\.id)))
    }
  }

  @Test func `no two clusters stand where one would do`() {
    var random = Lehmer(seed: 12)
    let people = crowd(600, seed: 13)
    for _ in 0..<20 {
      let view = Viewport(
        center: random.point(latitudes: -50...60), zoom: random.unit() * 4, columns: 90, rows: 30)
      let pins = MapRenderer().frame(view, markers: people, options: options).pins
      for (index, pin) in pins.enumerated() {
        for other in pins[(index + 1)...] {
          // Where the anchor is; a pin at the right edge is drawn further left.
          let isNear = abs(pin.column - other.column) < 4 && abs(pin.row - other.row) < 2
          #expect(!isNear || max(pin.column, other.column) > 85)
        }
      }
    }
  }

  @Test func `the order in which markers are given changes nothing`() {
    let people = crowd(300, seed: 5)
    let view = Viewport.wholeWorld(columns: 100, rows: 35)
    let frame = MapRenderer().frame(view, markers: people)
    #expect(MapRenderer().frame(view, markers: people.reversed()) == frame)
    // Nor does a renderer that has drawn something else before.
    let renderer = MapRenderer()
    _ = renderer.frame(view.zoomed(by: 1), markers: Array(people.prefix(20)))
    #expect(renderer.frame(view, markers: people).pins == frame.pins)
  }

  @Test func `the order follows ranks and ids that change`() {
    let here = GeoPoint(latitude: 38.72, longitude: -9.14)
    let view = Viewport(center: here, zoom: 8, columns: 60, rows: 16)
    let renderer = MapRenderer()
    func first(_ ranks: [(String, Int)]) -> [String] {
      let markers = ranks.map { MapMarker(id: $0.0, point: here, rank: $0.1) }
      return renderer.frame(view, markers: markers, options: options).pins[0].ids
    }
    #expect(first([("a", 1), ("b", 1)]) == ["a", "b"])
    #expect(first([("a", 1), ("b", 2)]) == ["b", "a"])
    #expect(first([("d", 1), ("c", 1)]) == ["c", "d"])
  }

  @Test func `panning by cells takes no cluster apart`() {
    let people = crowd(60, seed: 6)
    let view = Viewport(
      center: GeoPoint(latitude: 30, longitude: 20), zoom: 1, columns: 200, rows: 60)
    let renderer = MapRenderer()
    let before = renderer.frame(view, markers: people, options: options)
    let after = renderer.frame(
      view.panned(byColumns: 5, rows: 2), markers: people, options: options)
    func inner(_ frame: MapFrame) -> Set<[String]> {
      Set(
        frame.pins.filter { (20..<180).contains($0.column) && (10..<50).contains($0.row) }
          .map(\.ids))
    }
    let all = Set(after.pins.map(\.ids))
    #expect(!inner(before).isEmpty)
    #expect(inner(before).isSubset(of: all))
  }

  @Test func `who may not be counted stands alone and hides nobody`() throws {
    let here = GeoPoint(latitude: 38.72, longitude: -9.14)
    let markers = [
      MapMarker(id: "me", point: here, glyph: "@", rank: 9, isClusterable: false),
      MapMarker(id: "ana", point: here), MapMarker(id: "rui", point: here),
      MapMarker(id: "fog", point: here, glyph: "◆", rank: 5, isClusterable: false),
    ]
    let view = Viewport(center: here, zoom: 8, columns: 60, rows: 16)
    let frame = MapRenderer().frame(view, markers: markers, options: options)
    #expect(frame.pins.map(\.ids) == [["ana", "rui"], ["fog"], ["me"]])
    let me = try #require(frame.pin(of: "me"))
    #expect(view.cell(of: here).map { Int($0.column) } == me.column)
    #expect(frame.pins.map { frame.text(of: $0.span) } == ["●2", "◆", "@"])
    for (index, pin) in frame.pins.enumerated() {
      for other in frame.pins[(index + 1)...] { #expect(!pin.span.overlaps(other.span)) }
    }
  }

  @Test func `crowds are counted in four cells`() {
    let here = GeoPoint(latitude: 38.72, longitude: -9.14)
    let view = Viewport(center: here, zoom: 8, columns: 60, rows: 16)
    for (count, text) in [(9, "●9"), (999, "●999"), (1000, "●1k"), (12_345, "●12k")] {
      let markers = (0..<count).map { MapMarker(id: "\($0)", point: here) }
      let frame = MapRenderer().frame(view, markers: markers, options: options)
      #expect(frame.text(of: frame.pins[0].span) == text)
    }
  }

  @Test func `without clusters each has its pin`() {
    let people = crowd(50, seed: 8)
    var options = options
    options.clustersMarkers = false
    let view = Viewport.wholeWorld(columns: 200, rows: 60)
    let frame = MapRenderer().frame(view, markers: people, options: options)
    #expect(frame.pins.count == 50 && frame.pins.allSatisfy { !$0.isCluster })
  }
}
