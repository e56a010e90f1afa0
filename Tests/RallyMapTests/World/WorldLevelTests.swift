import Foundation
import Testing

@testable import RallyMap

struct WorldLevelTests {
  private let world = WorldMap.shared

  @Test(arguments: DetailLevel.allCases)
  func `every level decodes and its chunks lie in their boxes`(_ detail: DetailLevel) throws {
    let level = try world.level(detail)
    #expect(level.xs.count == level.ys.count)
    var isSound = true
    for chunk in level.chunks {
      let xs = level.xs[chunk.points]
      let ys = level.ys[chunk.points]
      isSound =
        isSound && (2...97).contains(xs.count) && xs.min() == chunk.minX && xs.max() == chunk.maxX
        && ys.min() == chunk.minY && ys.max() == chunk.maxY
    }
    #expect(isSound)
  }

  @Test func `a level is decoded once and shared`() throws {
    let first = try world.level(.world).xs.withUnsafeBufferPointer(\.baseAddress)
    let second = try world.level(.world).xs.withUnsafeBufferPointer(\.baseAddress)
    #expect(first == second)
  }

  @Test func `finer levels have more vertices, and the whole world has few`() throws {
    let counts = try DetailLevel.allCases.map { try world.level($0).xs.count }
    #expect(counts == counts.sorted())
    #expect(counts[0] < 12_000)
    #expect(counts[3] > 80_000)
  }

  @Test func `an arc's chunks hang together`() throws {
    let level = try world.level(.finest)
    for arc in 0..<level.arcCount {
      let chunks = level.chunks[level.chunks(ofArc: arc)]
      for (chunk, next) in zip(chunks, chunks.dropFirst()) {
        #expect(chunk.points.upperBound - 1 == next.points.lowerBound)
        #expect(chunk.kind == next.kind)
      }
    }
  }

  @Test(
    arguments: DetailLevel.allCases,
    [
      ("Superior", 47.7, -87.5), ("Michigan", 43.5, -87), ("Huron", 44.8, -82.4),
      ("Erie", 42.2, -81.2), ("Ontario", 43.6, -78), ("Victoria", -1, 33), ("Baikal", 53.7, 108.3),
      ("Ladoga", 60.8, 31.5), ("Caspian", 42, 51), ("Great Bear", 66, -121),
      ("Tanganyika", -6, 29.6), ("Winnipeg", 52.9, -98), ("Black Sea", 43, 34),
      ("Atlantic", 0, -30), ("Pacific at the dateline", 0, 179.99), ("Bering Sea", 60, -179.99),
      ("North Pole", 84, 0),
    ])
  func `seas and great lakes are water`(
    _ detail: DetailLevel, _ place: (name: String, latitude: Double, longitude: Double)
  ) throws {
    #expect(try !isLand(detail, place.latitude, place.longitude), "\(place.name)")
  }

  @Test(
    arguments: DetailLevel.allCases,
    [
      ("Bern", 46.95, 7.45), ("Chicago's west", 41.8, -88.5), ("Sahara", 23, 10),
      ("Chukotka, west", 67.5, 179.9), ("Chukotka, east", 67.5, -179.9),
      ("Antarctica, west", -85, -179.99), ("Antarctica, east", -85, 179.99),
      ("Greenland", 72, -40), ("Manitoulin", 45.7, -82.2), ("Hokkaido", 43.3, 142.8),
      ("Madagascar", -19, 47), ("Lesotho", -29.5, 28.3),
    ])
  func `land is land`(
    _ detail: DetailLevel, _ place: (name: String, latitude: Double, longitude: Double)
  ) throws {
    // An island in a lake is left out where it is smaller than a dot.
    if place.name == "Manitoulin", detail < .region { return }
    #expect(try isLand(detail, place.latitude, place.longitude), "\(place.name)")
  }

  @Test func `what the coast encloses is what countries hold`() throws {
    let test = try world.hitTest()
    var numbers = Lehmer(seed: 8)
    for _ in 0..<1_500 {
      let x = Double(numbers.below(65_535)) + 0.5
      let y = Double(numbers.below(65_535)) + 0.5
      let enclosed = isEnclosed(test.level, [.coast, .seam], x: x, y: y)
      #expect(enclosed == (test.country(x: x, y: y) != nil), "\(x) \(y)")
    }
  }

  @Test(arguments: [(DetailLevel.world, 0.02), (.continent, 0.008), (.region, 0.003)])
  func `a coarse level differs from the finest at few places`(
    _ detail: DetailLevel, _ share: Double
  )
    throws
  {
    let (coarse, finest) = (try world.level(detail), try world.level(.finest))
    var numbers = Lehmer(seed: 9)
    var different = 0
    for _ in 0..<1_500 {
      let x = Double(numbers.below(65_535)) + 0.5
      let y = Double(numbers.below(65_535)) + 0.5
      let kinds: Set<LineKind> = [.coast, .seam, .lake]
      if isEnclosed(coarse, kinds, x: x, y: y) != isEnclosed(finest, kinds, x: x, y: y) {
        different += 1
      }
    }
    #expect(Double(different) / 1_500 < share)
  }

  @Test func `seams run along the world's edges only, and no coast does`() throws {
    for detail in DetailLevel.allCases {
      let level = try world.level(detail)
      for chunk in level.chunks {
        for index in chunk.points.dropLast() {
          let (x0, x1) = (level.xs[index], level.xs[index + 1])
          let (y0, y1) = (level.ys[index], level.ys[index + 1])
          let alongSide = x0 == x1 && (x0 == 0 || x0 == 65_535)
          let alongFloor = y0 == 65_535 && y1 == 65_535
          #expect((alongSide || alongFloor) == (chunk.kind == .seam))
        }
      }
    }
  }

  @Test(arguments: [
    ("Western Sahara", 27.66, -11.0), ("Crimea", 46.12, 34.1), ("Kosovo", 43.1, 20.8),
    ("Northern Cyprus", 35.1, 33.4), ("Somaliland", 9.5, 48.9), ("West Bank", 32.3, 35),
    ("Kashmir, line of control", 34.6, 74.2), ("Aksai Chin", 34, 78.8), ("Golan", 33, 35.8),
  ])
  func `a contested line is of a kind of its own`(
    _ name: String, _ latitude: Double, _ longitude: Double
  ) throws {
    let level = try world.level(.finest)
    let place = WorldPoint(GeoPoint(latitude: latitude, longitude: longitude))
    let (x, y) = (place.x * WorldUnits.span, place.y * WorldUnits.span)
    let near = level.chunks.filter { chunk in
      chunk.points.dropLast().contains { index in
        let (x0, x1) = (Double(level.xs[index]), Double(level.xs[index + 1]))
        let (y0, y1) = (Double(level.ys[index]), Double(level.ys[index + 1]))
        return stride(from: 0, through: 1, by: 0.05).contains { share in
          hypot(x0 + share * (x1 - x0) - x, y0 + share * (y1 - y0) - y) < 100
        }
      }
    }
    #expect(near.contains { $0.kind == .disputed }, "\(name)")
  }

  /// Where outlines of neighbours do not quite meet in the source.
  @Test(arguments: [
    ("Himalaya", 77.0...81, 30.0...36), ("Maas", 5.5...6.0, 50.6...51.0),
    ("Hari Rud", 60.5...61.2, 29.5...30.2),
  ])
  func `no coast is drawn inland`(
    _ name: String, _ longitudes: ClosedRange<Double>, _ latitudes: ClosedRange<Double>
  ) throws {
    let northWest = WorldPoint(
      GeoPoint(latitude: latitudes.upperBound, longitude: longitudes.lowerBound))
    let southEast = WorldPoint(
      GeoPoint(latitude: latitudes.lowerBound, longitude: longitudes.upperBound))
    let xs = northWest.x * WorldUnits.span...southEast.x * WorldUnits.span
    let ys = northWest.y * WorldUnits.span...southEast.y * WorldUnits.span
    let level = try world.level(.finest)
    for chunk in level.chunks where chunk.kind == .coast {
      let inside = chunk.points.filter {
        xs.contains(Double(level.xs[$0])) && ys.contains(Double(level.ys[$0]))
      }
      #expect(inside.isEmpty, "\(name)")
    }
  }

  @Test func `states are drawn where continents are, not on the whole world`() throws {
    #expect(try !world.level(.world).chunks.contains { $0.kind == .state })
    #expect(try world.level(.continent).chunks.contains { $0.kind == .state })
  }

  @Test func `the level follows from how much a dot covers`() {
    #expect(DetailLevel(unitsPerDot: 400) == .world)
    #expect(DetailLevel(unitsPerDot: 75) == .world)
    #expect(DetailLevel(unitsPerDot: 74) == .continent)
    #expect(DetailLevel(unitsPerDot: 10) == .region)
    #expect(DetailLevel(unitsPerDot: 1) == .finest)
    #expect(DetailLevel(unitsPerDot: -1) == .finest)
    #expect(DetailLevel(unitsPerDot: .nan) == .finest)
  }

  private func isLand(_ detail: DetailLevel, _ latitude: Double, _ longitude: Double) throws -> Bool
  {
    let place = WorldPoint(GeoPoint(latitude: latitude, longitude: longitude))
    let kinds = Set(LineKind.allCases.filter(\.bounds))
    return isEnclosed(
      try world.level(detail), kinds, x: place.x * WorldUnits.span, y: place.y * WorldUnits.span)
  }

  /// Even-odd along a ray to the north, unlike the hit test, which looks to the east.
  private func isEnclosed(
    _ level: WorldLevel, _ kinds: Set<LineKind>, x: Double, y: Double
  ) -> Bool {
    var enclosed = false
    for chunk in level.chunks where Double(chunk.minX) <= x && x <= Double(chunk.maxX) {
      guard kinds.contains(chunk.kind), Double(chunk.minY) <= y else { continue }
      for index in chunk.points.dropLast() {
        let (x0, x1) = (Double(level.xs[index]), Double(level.xs[index + 1]))
        guard (x0 <= x) != (x1 <= x) else { continue }
        let (y0, y1) = (Double(level.ys[index]), Double(level.ys[index + 1]))
        if y0 + (x - x0) / (x1 - x0) * (y1 - y0) < y { enclosed.toggle() }
      }
    }
    return enclosed
  }
}
