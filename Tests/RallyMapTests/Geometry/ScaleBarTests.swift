import RallyMap
import Testing

struct ScaleBarTests {
  @Test func `a dot is as long as the published resolution of its zoom`() {
    // 0.597 m at zoom 18 and 156 543 m at zoom 0 on the equator.
    let street = Viewport(
      center: GeoPoint(latitude: 0, longitude: 0), zoom: 18, columns: 80, rows: 20)
    #expect(abs(street.metresPerDot - 0.597) < 0.001)
    let north = Viewport(
      center: GeoPoint(latitude: 60, longitude: 0), zoom: 10, columns: 80, rows: 20)
    #expect(abs(north.metresPerDot - 152.87 / 2) < 0.01)
  }

  @Test func `bars are round and fit`() throws {
    var random = Lehmer(seed: 5)
    for _ in 0..<500 {
      let view = Viewport(
        center: random.point(), zoom: random.unit() * 18, columns: 80, rows: 20)
      let bar = try #require(view.scaleBar(maximumCells: 16))
      #expect((1...16).contains(bar.cells))
      var digits = bar.metres
      while digits >= 10 { digits /= 10 }
      #expect([1, 2, 5].contains { abs($0 - digits) < 1e-6 })
      #expect(
        abs(Double(bar.cells) * 2 * view.metresPerDot - bar.metres) <= view.metresPerDot * 1.01)
    }
  }

  @Test func `bars are named in metres and kilometres`() {
    func bar(_ zoom: Double) -> ScaleBar? {
      Viewport(center: GeoPoint(latitude: 38.7, longitude: -9.1), zoom: zoom, columns: 50, rows: 20)
        .scaleBar(maximumCells: 14)
    }
    #expect(bar(16)?.label == "50 m")
    #expect(bar(10)?.label == "2 km")
    #expect(bar(2)?.label == "500 km")
    #expect(bar(2)?.cells == 8)
  }

  @Test func `no bar where not even a metre fits`() {
    let view = Viewport(
      center: GeoPoint(latitude: 80, longitude: 0), zoom: 18, columns: 80, rows: 20)
    #expect(view.scaleBar(maximumCells: 2) == nil)
  }
}
