import Foundation

/// Cells over which the sun has set. Trigonometric functions are evaluated once per row and column;
/// each cell then costs one multiplication.
struct NightMask {
  let isNight: ContiguousArray<Bool>

  init(_ viewport: Viewport, at date: Date) {
    let sun = Sun(at: date).subsolarPoint
    let threshold = sin(Sun.settingAltitude * .pi / 180)
    let origin = viewport.origin
    let cosines = (0..<viewport.columns).map { column -> Double in
      let x = (Double(origin.column + column) + 0.5) * 2 / viewport.worldDots
      return cos((x * 360 - 180) * .pi / 180 - sun.lambda)
    }
    var cells = ContiguousArray<Bool>()
    cells.reserveCapacity(viewport.columns * viewport.rows)
    for row in 0..<viewport.rows {
      let y = (Double(origin.row + row) + 0.5) * 4 / viewport.worldDots
      let phi = WorldPoint(x: 0, y: y).geoPoint.phi
      let fixed = sin(phi) * sin(sun.phi)
      let turning = cos(phi) * cos(sun.phi)
      for cosine in cosines { cells.append(fixed + turning * cosine < threshold) }
    }
    isNight = cells
  }
}
