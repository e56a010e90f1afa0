import FoundationEssentials
import Glibc

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
