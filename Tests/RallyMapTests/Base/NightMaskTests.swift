import Foundation
import RallyMap
import Testing

struct NightMaskTests {
  @Test func `night is where the sun has set over a cell's middle`() {
    var random = Lehmer(seed: 21)
    let renderer = MapRenderer()
    for _ in 0..<40 {
      let date = Date(timeIntervalSince1970: 1_700_000_000 + random.unit() * 1e8)
      let viewport = Viewport(
        center: random.point(), zoom: random.unit() * 6, columns: 40, rows: 20)
      let frame = renderer.frame(viewport, options: MapOptions(night: date))
      // What is kept between frames is as old as the minute.
      let sun = Sun(at: date)
      for row in 0..<frame.rows {
        for column in 0..<frame.columns {
          guard let point = viewport.point(inColumn: column, row: row) else { continue }
          guard abs(sun.altitude(at: point) + 0.833) > 0.001 else { continue }
          #expect(frame[column, row].isNight == sun.isNight(at: point))
        }
      }
    }
  }

  @Test func `night goes on as minutes pass, and off when it is not wanted`() {
    let renderer = MapRenderer()
    let viewport = Viewport.wholeWorld(columns: 80, rows: 24)
    let date = Date(timeIntervalSince1970: 1_795_262_400)
    func count(_ night: Date?) -> Int {
      renderer.frame(viewport, options: MapOptions(night: night)).cells.count { $0.isNight }
    }
    let atNoon = renderer.frame(viewport, options: MapOptions(night: date)).cells.map(\.isNight)
    let later = renderer.frame(viewport, options: MapOptions(night: date + 7200)).cells
      .map(\.isNight)
    #expect(atNoon != later)
    // Between a third and two thirds of what Mercator shows of the world.
    #expect((640...1280).contains(count(date)))
    #expect(count(nil) == 0)
  }
}
