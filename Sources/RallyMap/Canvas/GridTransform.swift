/// Transforms world units to the dots and cells of a viewport.
struct GridTransform {
  /// Dots per world unit.
  let scale: Double
  /// World dot at the grid's upper left corner.
  let originX: Double
  let originY: Double
  let columns: Int
  let rows: Int
  /// The dots of the grid that lie on the world; the rest is margin.
  let clip: DotRect
  /// The copies of the world that intersect the grid, numbered by wraps to the east.
  let turns: ClosedRange<Int>
  private let turnDots: Double

  init(_ viewport: Viewport) {
    let origin = viewport.origin
    scale = viewport.worldDots / WorldUnits.span
    originX = Double(origin.column * 2)
    originY = Double(origin.row * 4)
    columns = viewport.columns
    rows = viewport.rows
    turnDots = viewport.worldDots
    let world = viewport.worldColumns
    let top = max((0 - originY).rounded(), 0)
    let bottom = min((viewport.worldDots - originY).rounded(), Double(rows * 4)) - 1
    let left = max((world.lowerBound * 2).rounded(), 0)
    let right = min((world.upperBound * 2).rounded(), Double(columns * 2)) - 1
    clip = DotRect(minX: Int(left), minY: Int(top), maxX: Int(right), maxY: Int(bottom))
    // Copy t covers the dots t * turnDots - originX ..< (t + 1) * turnDots - originX.
    let first = ((originX + left) / turnDots).rounded(.down)
    let last = ((originX + right) / turnDots).rounded(.down)
    turns = Int(first)...Int(max(first, last))
  }

  /// Offset in dots to add to a scaled x for one copy of the world.
  func shift(turn: Int) -> Double { Double(turn) * turnDots - originX }

  @inline(__always)
  func dotY(_ unit: UInt16) -> Double { Double(unit) * scale - originY }

  /// Whether the cell's centre lies on the world.
  func isWorld(column: Int, row: Int) -> Bool {
    column * 2 + 1 >= clip.minX && column * 2 <= clip.maxX && row * 4 + 2 >= clip.minY
      && row * 4 + 1 <= clip.maxY
  }
}
