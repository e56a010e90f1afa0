import FoundationEssentials
import Glibc

/// The sun's position at a time, within 0.01° between 1950 and 2050 (Astronomical Almanac,
/// low-precision formulas).
public struct Sun: Hashable, Sendable {
  /// The point where the sun is at the zenith.
  public let subsolarPoint: GeoPoint

  public init(at date: Date) {
    // Days since J2000.0 (2000-01-01 12:00); the Unix epoch is Julian day 2440587.5.
    let n = date.timeIntervalSince1970 / 86_400 + 2_440_587.5 - 2_451_545
    let radians = Double.pi / 180
    let anomaly = (357.528 + 0.985_600_3 * n) * radians
    let longitude =
      (280.460 + 0.985_647_4 * n + 1.915 * sin(anomaly) + 0.020 * sin(2 * anomaly)) * radians
    let obliquity = (23.439 - 4e-7 * n) * radians
    let declination = asin(sin(obliquity) * sin(longitude))
    let ascension = atan2(cos(obliquity) * sin(longitude), cos(longitude))
    let sidereal = 280.460_618_37 + 360.985_647_366_29 * n
    subsolarPoint =
      GeoPoint(
        latitude: declination / radians, longitude: ascension / radians - sidereal
      ).normalized
  }

  /// Altitude of the sun's centre over the horizon in degrees, -90...90, without refraction.
  public func altitude(at point: GeoPoint) -> Double {
    let sine =
      sin(point.phi) * sin(subsolarPoint.phi)
      + cos(point.phi) * cos(subsolarPoint.phi) * cos(point.lambda - subsolarPoint.lambda)
    return asin(min(max(sine, -1), 1)) * 180 / .pi
  }

  /// Altitude of the sun's centre at sunrise and sunset in degrees: upper limb on the horizon, with
  /// refraction.
  static let settingAltitude = -0.833

  /// Altitude at the end of astronomical twilight in degrees: from there on it is as dark as it
  /// becomes.
  static let nightAltitude = -18.0

  /// Whether the sun has set.
  public func isNight(at point: GeoPoint) -> Bool { altitude(at: point) < Self.settingAltitude }
}

/// How far night has fallen over each cell. Trigonometric functions are evaluated once per row and
/// column; each cell then costs one multiplication.
struct NightMask {
  /// 0 by day, `MapCell.deepestNight` after the end of astronomical twilight.
  let depths: ContiguousArray<UInt8>

  /// Sines of the sun's altitude below which each step begins.
  private static let thresholds: [Double] = (0..<Int(MapCell.deepestNight)).map { step in
    let share = Double(step) / Double(MapCell.deepestNight - 1)
    let altitude = Sun.settingAltitude + (Sun.nightAltitude - Sun.settingAltitude) * share
    return sin(altitude * .pi / 180)
  }

  init(_ viewport: Viewport, at date: Date) {
    let sun = Sun(at: date).subsolarPoint
    let origin = viewport.origin
    let cosines = (0..<viewport.columns).map { column -> Double in
      let x = (Double(origin.column + column) + 0.5) * 2 / viewport.worldDots
      return cos((x * 360 - 180) * .pi / 180 - sun.lambda)
    }
    let thresholds = Self.thresholds
    var cells = ContiguousArray<UInt8>()
    cells.reserveCapacity(viewport.columns * viewport.rows)
    for row in 0..<viewport.rows {
      let y = (Double(origin.row + row) + 0.5) * 4 / viewport.worldDots
      let phi = WorldPoint(x: 0, y: y).geoPoint.phi
      let fixed = sin(phi) * sin(sun.phi)
      let turning = cos(phi) * cos(sun.phi)
      for cosine in cosines {
        let sine = fixed + turning * cosine
        cells.append(UInt8(thresholds.prefix { sine < $0 }.count))
      }
    }
    depths = cells
  }
}

/// The lights of large cities over which it is dark, as dots of the grid.
struct CityLights {
  let dots: [(x: Int, y: Int)]

  static let none = CityLights(dots: [])

  /// From this zoom on a city is wider than its lights.
  static let highestZoom = 7.0
  /// The step of night from which on lights are seen: civil twilight is over.
  private static let fromDepth: UInt8 = 3

  private init(dots: [(x: Int, y: Int)]) { self.dots = dots }

  init(_ viewport: Viewport, cities: WorldCities, night: NightMask) {
    guard viewport.zoom < Self.highestZoom else {
      self = .none
      return
    }
    // Eight times as many as have names.
    let least = PlaceLabels.leastPopulation(zoom: viewport.zoom + 3)
    let projection = CellProjection(viewport)
    var dots: [(x: Int, y: Int)] = []
    for index in 0..<cities.count {
      let population = cities.population(at: index)
      if Double(population) < least { break }
      let point = cities.worldPoint(at: index)
      guard let cell = projection.cell(of: point),
        night.depths[cell.row * viewport.columns + cell.column] >= Self.fromDepth
      else { continue }
      let position = projection.position(of: point)
      let (x, y) = (Int(position.column * 2), Int(position.row * 4))
      dots.append((x, y))
      if population >= 3_000_000 { dots.append((x + 1, y)) }
      if population >= 10_000_000 { dots += [(x, y + 1), (x + 1, y + 1)] }
    }
    self.dots = dots
  }
}

extension DotCanvas {
  /// Draws lights where no line is: a coast keeps its shape.
  mutating func draw(_ lights: CityLights, clip: DotRect) {
    let free = lights.dots.filter { dot in
      let (column, row) = (dot.x / 2, dot.y / 4)
      return column < columns && row < rows && inks[row * columns + column].isPattern
    }
    guard !free.isEmpty else { return }
    draw(.cityLight, clip: clip) { pen in
      for dot in free { pen.plot(dot.x, dot.y) }
    }
  }
}
