import Foundation
import Testing

@testable import RallyWire

@Suite struct GridCellTests {
  /// Where the width of cells steps, and the ends of the globe, in degrees of latitude.
  private static let seams: [Int64] = [0, 48, 65, 72, 77, 80, 83, 86, 87, 88, 89, 90]
  private static let unit = Coordinate.unitsPerDegree

  /// Random places: everywhere, close to each seam on both sides of the equator, and on the dateline.
  private static func places(_ count: Int, seed: UInt64) -> [Coordinate] {
    var numbers = SeededGenerator(seed: seed)
    return (0..<count).map { index in
      let longitude =
        index.isMultiple(of: 5)
        ? 180 * unit - Int64.random(in: -3...3, using: &numbers)
        : Int64.random(in: -180 * unit..<180 * unit, using: &numbers)
      var latitude = Int64.random(in: -90 * unit...90 * unit, using: &numbers)
      if !index.isMultiple(of: 3) {
        let seam = seams[Int.random(in: 0..<seams.count, using: &numbers)] * unit
        let reach: Int64 = index.isMultiple(of: 2) ? 3 : unit
        latitude = seam + Int64.random(in: -reach...reach, using: &numbers)
        if Bool.random(using: &numbers) { latitude = -latitude }
      }
      return Coordinate(
        exactLatitude: min(90 * unit, max(-90 * unit, latitude)),
        longitude: longitude >= 180 * unit ? longitude - 360 * unit : longitude)
    }
  }

  /// Metres along a great circle on a sphere of 6399.6 km, the largest radius of curvature of
  /// WGS 84: never less than the real distance.
  private static func metres(_ a: Coordinate, _ b: Coordinate) -> Double {
    let (p, q) = (a.latitude * .pi / 180, b.latitude * .pi / 180)
    let (dp, dl) = (q - p, (b.longitude - a.longitude) * .pi / 180)
    let h = pow(sin(dp / 2), 2) + cos(p) * cos(q) * pow(sin(dl / 2), 2)
    return 2 * 6_399_600 * asin(min(1, h.squareRoot()))
  }

  // MARK: - Vectors

  @Test(
    arguments: [
      // Lisbon, and the same place mirrored into the other three quarters of the globe.
      (38.7223, -9.1393, 1544, 2050, 15446, 20503),
      (38.7223, 9.1393, 1544, 2269, 15446, 22696),
      (-38.7223, -9.1393, 615, 2050, 6153, 20503),
      (-38.7223, 9.1393, 615, 2269, 6153, 22696),
      // The corner where equator and zero meridian meet, from all sides.
      (0, 0, 1080, 2160, 10800, 21600),
      (-0.0000001, -0.0000001, 1079, 2159, 10799, 21599),
      // The dateline, from both sides; 180 is -180.
      (0.01, 179.9999999, 1080, 4319, 10801, 43199),
      (0.01, -180, 1080, 0, 10801, 0),
      (0.01, 180, 1080, 0, 10801, 0),
      // Below and on the parallel of 48 degrees columns are one and two wide, and so on.
      (47.9999999, 11, 1655, 2292, 16559, 22920),
      (48, 11, 1656, 1146, 16560, 11460),
      (-48, 11, 504, 2292, 5040, 22920),
      (-48.0000001, 11, 503, 1146, 5039, 11460),
      (65, 11, 1860, 764, 18600, 7640),
      (72, 11, 1944, 573, 19440, 5730),
      (88.5, 0, 2142, 54, 21420, 540),
      // The poles: five pieces of cake.
      (90, 0, 2159, 2, 21599, 2),
      (-90, -180, 0, 0, 0, 0),
      (-90, 179, 0, 4, 0, 4),
    ] as [(Double, Double, Int64, Int64, Int64, Int64)])
  func `a place lies in the cell that the rules say`(
    _ latitude: Double, _ longitude: Double, _ coarseRow: Int64, _ coarseColumn: Int64,
    _ fineRow: Int64, _ fineColumn: Int64
  ) throws {
    let place = try #require(Coordinate(latitude: latitude, longitude: longitude))
    let coarse = GridCell(containing: place, level: .tenKilometres)
    let fine = GridCell(containing: place, level: .oneKilometre)
    #expect(coarse.row == coarseRow)
    #expect(coarse.column == coarseColumn)
    #expect(fine.row == fineRow)
    #expect(fine.column == fineColumn)
  }

  @Test func `the middle of Lisbon's cell is where arithmetic puts it`() throws {
    let place = try #require(Coordinate(latitude: 38.7223, longitude: -9.1393))
    // 1544.5 / 12 - 90 and 2050.5 / 12 - 180, cut to the unit.
    #expect(
      GridCell(containing: place, level: .tenKilometres).center
        == Coordinate(latitudeUnits: 387_083_333, longitudeUnits: -91_250_000))
    #expect(
      GridCell(containing: place, level: .oneKilometre).center
        == Coordinate(latitudeUnits: 387_208_333, longitudeUnits: -91_375_000))
  }

  @Test func `numbers that no cell has make none`() {
    #expect(GridCell(level: .tenKilometres, row: 2160, column: 0) == nil)
    #expect(GridCell(level: .tenKilometres, row: -1, column: 0) == nil)
    #expect(GridCell(level: .tenKilometres, row: 1080, column: 4320) == nil)
    #expect(GridCell(level: .oneKilometre, row: 1080, column: -1) == nil)
    let place = GridCell(level: .oneKilometre, row: 21599, column: 4)?.center
    #expect(place.map { GridCell(containing: $0, level: .oneKilometre).column } == 4)
  }

  // MARK: - Properties

  @Test func `a cell's middle lies in it, and a fine cell in the coarse one of its places`() {
    for place in Self.places(60_000, seed: 1) {
      let fine = GridCell(containing: place, level: .oneKilometre)
      let coarse = GridCell(containing: place, level: .tenKilometres)
      guard GridCell(containing: fine.center, level: .oneKilometre) == fine,
        GridCell(containing: coarse.center, level: .tenKilometres) == coarse,
        fine.parent == coarse, coarse.parent == coarse,
        GridCell(level: .oneKilometre, row: fine.row, column: fine.column) == fine
      else {
        Issue.record("\(place.latitudeUnits), \(place.longitudeUnits)")
        return
      }
    }
  }

  @Test(arguments: GridLevel.allCases)
  func `the accuracy covers the cell, and those who have just come out of it`(_ level: GridLevel) {
    for (place, near) in zip(Self.places(60_000, seed: 2), Self.jitter(60_000, level: level)) {
      let cell = GridCell(containing: place, level: level)
      // A place near the cell for which it still holds.
      let other = Self.moved(place, by: near, level: level)
      for seen in [place, other]
      where GridCell.following(cell, at: seen, level: level) == cell {
        guard Self.metres(seen, cell.center) <= level.accuracyMetres else {
          Issue.record(
            "\(Self.metres(seen, cell.center)) m at \(seen.latitude), \(seen.longitude)")
          return
        }
      }
    }
  }

  @Test(arguments: GridLevel.allCases)
  func `no cell is small, but for the tips at the poles`(_ level: GridLevel) throws {
    let height = 111.2 / Double(level.rowsPerDegree)
    for row in 0..<180 * level.rowsPerDegree {
      let columns = GridCell.columns(inRow: row, level: level)
      let middle = try #require(GridCell(level: level, row: row, column: 0)).center.latitude
      let width = 2 * .pi * 6371 * cos(middle * .pi / 180) / Double(columns)
      #expect((0.6...1.5).contains(width / height), "\(width / height) at \(middle)")
    }
  }

  // MARK: - Hysteresis

  /// Steps to a side in thousandths of a cell, up to a cell and a half.
  private static func jitter(_ count: Int, level: GridLevel) -> [(Int64, Int64)] {
    var numbers = SeededGenerator(seed: 3)
    return (0..<count).map { _ in
      (.random(in: -1500...1500, using: &numbers), .random(in: -1500...1500, using: &numbers))
    }
  }

  /// The place that lies this many thousandths of its cell's size to the north and east.
  private static func moved(
    _ place: Coordinate, by step: (Int64, Int64), level: GridLevel
  ) -> Coordinate {
    let cell = GridCell(containing: place, level: level)
    let columns = GridCell.columns(inRow: cell.row, level: level)
    let latitude = place.latitudeUnits + step.0 * unit / level.rowsPerDegree / 1000
    var longitude = place.longitudeUnits + step.1 * 360 * unit / columns / 1000
    if longitude >= 180 * unit { longitude -= 360 * unit }
    if longitude < -180 * unit { longitude += 360 * unit }
    return Coordinate(
      exactLatitude: min(90 * unit, max(-90 * unit, latitude)), longitude: longitude)
  }

  @Test(arguments: GridLevel.allCases)
  func `somebody who stays within a fiftieth of a cell is announced once`(_ level: GridLevel) {
    var numbers = SeededGenerator(seed: 4)
    for place in Self.places(5000, seed: 5) {
      var announced: GridCell?
      var changes = 0
      for _ in 0..<20 {
        let step = (
          Int64.random(in: -20...20, using: &numbers), Int64.random(in: -20...20, using: &numbers)
        )
        let next = GridCell.following(
          announced, at: Self.moved(place, by: step, level: level), level: level)
        if next != announced { changes += 1 }
        announced = next
      }
      guard changes == 1 else {
        Issue.record("\(changes) cells at \(place.latitude), \(place.longitude)")
        return
      }
    }
  }

  @Test(arguments: GridLevel.allCases)
  func `whoever is a fifth of a cell outside is announced anew`(_ level: GridLevel) throws {
    for place in Self.places(5000, seed: 6) where abs(place.latitude) < 89.9 {
      let cell = GridCell(containing: place, level: level)
      for step in [(700, 0), (-700, 0), (0, 700), (0, -700)] as [(Int64, Int64)] {
        let outside = Self.moved(cell.center, by: step, level: level)
        let next = GridCell.following(cell, at: outside, level: level)
        #expect(next == GridCell(containing: outside, level: level))
        #expect(next != cell)
      }
    }
  }

  @Test func `walking around on a pole does not flicker`() {
    for latitude in [90 * Self.unit, -90 * Self.unit] {
      var announced: GridCell?
      for degree in 0..<360 {
        let place = Coordinate(
          exactLatitude: latitude + (latitude > 0 ? -40_000 : 40_000),
          longitude: Int64(degree - 180) * Self.unit)
        let next = GridCell.following(announced, at: place, level: .tenKilometres)
        #expect(announced == nil || next == announced)
        announced = next
      }
    }
  }

  @Test func `a cell of the other level does not hold`() throws {
    let place = try #require(Coordinate(latitude: 10, longitude: 10))
    let fine = GridCell(containing: place, level: .oneKilometre)
    let next = GridCell.following(fine, at: place, level: .tenKilometres)
    #expect(next == GridCell(containing: place, level: .tenKilometres))
  }
}
