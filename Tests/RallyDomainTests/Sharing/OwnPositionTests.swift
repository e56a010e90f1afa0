import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

@Suite struct OwnPositionTests {
  private let fix = LocationFix(
    coordinate: Samples.lisbon, accuracyMetres: 8, speed: 1.2, course: 45, battery: 80,
    recordedAt: Samples.time.advanced(by: .seconds(421)), source: "gps")

  @Test func `nobody sees anything, nothing is sent`() {
    #expect(OwnPosition.report(of: fix, for: .off, within: .none, known: nil) == nil)
  }

  @Test(arguments: [SharingMode.approximate1km, .approximate10km])
  func `a coarse report carries the cell and nothing else`(mode: SharingMode) throws {
    let level = try #require(mode.gridLevel)
    let report = try #require(OwnPosition.report(of: fix, for: mode, within: .none, known: nil))
    #expect(report.coordinate == GridCell(containing: fix.coordinate, level: level).center)
    #expect(report.accuracyMetres == level.accuracyMetres)
    #expect(report.speed == nil && report.course == nil && report.battery == nil)
    #expect(report.recordedAt == Samples.time)
    #expect(report.precision == mode)
    #expect(report.source != "gps")
  }

  @Test func `every place of a cell gives the same coarse report`() throws {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<500 {
      let place = Samples.coordinate(
        .random(in: -89...89, using: &random), .random(in: -179...179, using: &random))
      for mode in [SharingMode.approximate1km, .approximate10km] {
        let level = try #require(mode.gridLevel)
        let middle = GridCell(containing: place, level: level).center
        var one = fix
        one.coordinate = place
        var other = fix
        other.coordinate = middle
        other.recordedAt = fix.recordedAt.advanced(by: .seconds(77))
        other.accuracyMetres = 3
        #expect(
          OwnPosition.report(of: one, for: mode, within: .none, known: nil)
            == OwnPosition.report(of: other, for: mode, within: .none, known: nil))
      }
    }
  }

  @Test func `a coarse position is sent again only when its cell is clearly left`() throws {
    let level = GridLevel.oneKilometre
    let first = try #require(
      OwnPosition.report(of: fix, for: .approximate1km, within: .none, known: nil))
    let known = try #require(OwnPosition(first))
    #expect(OwnPosition.report(of: fix, for: .approximate1km, within: .none, known: known) == nil)
    // The edge, a little over it, and clearly over it: a cell is 1/120 of a degree high.
    let edge = try #require(first.coordinate).latitude + 1.0 / 240
    func moved(_ latitude: Double) -> LocationReport? {
      var moved = fix
      moved.coordinate = Samples.coordinate(latitude, fix.coordinate.longitude)
      moved.recordedAt = fix.recordedAt.advanced(by: .seconds(60))
      return OwnPosition.report(of: moved, for: .approximate1km, within: .none, known: known)
    }
    #expect(moved(edge + 0.05 / 120) == nil)
    let next = try #require(moved(edge + 0.2 / 120))
    #expect(
      next.coordinate
        == GridCell(
          containing: Samples.coordinate(edge + 0.2 / 120, fix.coordinate.longitude),
          level: level
        ).center)
  }

  @Test func `more exact friends get a more exact report, older measurements none`() throws {
    let coarse = try #require(
      OwnPosition.report(of: fix, for: .approximate10km, within: .none, known: nil).flatMap {
        OwnPosition($0)
      })
    let finer = try #require(
      OwnPosition.report(of: fix, for: .approximate1km, within: .none, known: coarse))
    #expect(finer.precision == .approximate1km)
    let exact = try #require(
      OwnPosition.report(of: fix, for: .precise, within: .none, known: coarse))
    #expect(exact.coordinate == fix.coordinate)
    #expect(exact.speed == 1.2)
    #expect(exact.recordedAt == fix.recordedAt)
    let known = try #require(OwnPosition(exact))
    #expect(OwnPosition.report(of: fix, for: .precise, within: .none, known: known) == nil)
    var older = fix
    older.coordinate = Samples.porto
    older.recordedAt = Samples.time.advanced(by: .seconds(-3600))
    #expect(OwnPosition.report(of: older, for: .precise, within: .none, known: known) == nil)
    #expect(OwnPosition.report(of: older, for: .approximate1km, within: .none, known: known) == nil)
  }

  @Test func `what was sent counts until the server must have announced it`() throws {
    let report = try #require(
      OwnPosition.report(of: fix, for: .approximate1km, within: .none, known: nil))
    let sent = try #require(OwnPosition(report))
    var shown = sent
    shown.coordinate = Samples.coordinate(41.15, -8.61)
    func known(after seconds: Int64, shown: OwnPosition?) -> OwnPosition? {
      OwnPosition.known(
        shown: shown, sent: (sent, Samples.time),
        at: Samples.time.advanced(by: .seconds(seconds)))
    }
    #expect(known(after: 119, shown: shown) == sent)
    #expect(known(after: 120, shown: shown) == shown)
    // Nothing is kept there any more, or something cut in another way.
    #expect(known(after: 1, shown: nil) == nil)
    shown.precision = .precise
    #expect(known(after: 1, shown: shown) == shown)
    #expect(OwnPosition.known(shown: shown, sent: nil, at: Samples.time) == shown)
  }
}
