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

  @Test func `night falls in steps, from sunset to the end of astronomical twilight`() throws {
    let date = Date(timeIntervalSince1970: 1_795_262_400)
    let sun = Sun(at: date)
    let viewport = Viewport.wholeWorld(columns: 160, rows: 60)
    let frame = MapRenderer().frame(viewport, options: MapOptions(night: date))
    var seen: Set<UInt8> = []
    for row in 0..<frame.rows {
      for column in 0..<frame.columns {
        guard let point = viewport.point(inColumn: column, row: row) else { continue }
        let cell = frame[column, row]
        seen.insert(cell.night)
        let altitude = sun.altitude(at: point)
        if altitude > -0.83 { #expect(cell.night == 0) }
        if altitude < -0.84 { #expect(cell.night >= 1) }
        if altitude < -18.01 { #expect(cell.night == MapCell.deepestNight) }
        if altitude > -17.99 { #expect(cell.night < MapCell.deepestNight) }
      }
    }
    #expect(seen == Set(0...MapCell.deepestNight))
  }

  @Test func `large cities shine where it is dark, on a painted map and from afar`() throws {
    // Noon over the Atlantic: it is night in east Asia.
    let date = Date(timeIntervalSince1970: 1_795_262_400 + 3 * 3600)
    let sun = Sun(at: date)
    func lights(_ viewport: Viewport, _ style: MapOptions.FillStyle = .background) -> [GeoPoint] {
      let frame = MapRenderer().frame(
        viewport,
        options: MapOptions(
          fillStyle: style, night: date, showsCountries: false, showsCities: false))
      return (0..<frame.rows).flatMap { row in
        (0..<frame.columns).compactMap { column in
          frame[column, row].ink == .cityLight ? viewport.point(inColumn: column, row: row) : nil
        }
      }
    }
    let world = Viewport.wholeWorld(columns: 160, rows: 60)
    let shining = lights(world)
    #expect(shining.count > 100)
    #expect(shining.allSatisfy { sun.altitude(at: $0) < -4 })
    #expect(lights(world, .stipple).isEmpty)
    let beijing = GeoPoint(latitude: 39.9, longitude: 116.4)
    #expect(sun.isNight(at: beijing))
    #expect(!lights(Viewport(center: beijing, zoom: 5, columns: 80, rows: 24)).isEmpty)
    #expect(lights(Viewport(center: beijing, zoom: 8, columns: 80, rows: 24)).isEmpty)
  }
}
