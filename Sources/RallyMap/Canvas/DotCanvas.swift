/// A canvas of 2 × 4 dots per cell, with one ink per cell.
struct DotCanvas {
  let columns: Int
  let rows: Int
  /// The dots of each cell, in the bit order of Unicode braille patterns.
  var dots: ContiguousArray<UInt8>
  /// The highest ink drawn in each cell.
  var inks: ContiguousArray<MapInk>
  /// The `MapMarker.tag` of each cell; 0 for the map.
  var tags: ContiguousArray<UInt8>

  /// The `MapMarker.tag` of the disc over each cell; 0 for none.
  var discs: ContiguousArray<UInt8>

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    dots = ContiguousArray(repeating: 0, count: columns * rows)
    inks = ContiguousArray(repeating: .sea, count: columns * rows)
    tags = ContiguousArray(repeating: 0, count: columns * rows)
    discs = tags
  }

  /// The bit of a dot within its cell: x 0...1, y 0...3.
  @inline(__always)
  static func bit(x: Int, y: Int) -> UInt8 {
    // Unicode braille numbers the upper six dots by column; dots 7 and 8 (the lowest row) follow.
    y == 3 ? 0x40 << UInt8(x) : 1 << UInt8(y + 3 * x)
  }

  /// The cells whose centres lie in a rectangle.
  func cells(in rect: DotRect) -> (columns: Range<Int>, rows: Range<Int>) {
    rect.cells(columns: columns, rows: rows, height: 4)
  }

  /// Calls `body` with a pen that is clipped to `clip` (dots from the upper left corner). The pen
  /// is valid only during the call.
  mutating func draw(_ ink: MapInk, tag: UInt8 = 0, clip: DotRect, _ body: (inout DotPen) -> Void) {
    let (columns, rows) = (columns, rows)
    dots.withUnsafeMutableBufferPointer { dots in
      inks.withUnsafeMutableBufferPointer { inks in
        tags.withUnsafeMutableBufferPointer { tags in
          var pen = DotPen(
            dots: dots, inks: inks, tags: tags, columns: columns, ink: ink, tag: tag,
            clip: clip.intersection(
              DotRect(minX: 0, minY: 0, maxX: columns * 2 - 1, maxY: rows * 4 - 1)))
          body(&pen)
        }
      }
    }
  }
}

/// Draws lines of dots in one ink. Its pointers are valid only during `DotCanvas.draw`.
struct DotPen {
  let dots: UnsafeMutableBufferPointer<UInt8>
  let inks: UnsafeMutableBufferPointer<MapInk>
  let tags: UnsafeMutableBufferPointer<UInt8>
  let columns: Int
  let ink: MapInk
  let tag: UInt8
  let clip: DotRect
  /// A line draws the first `dash.on` of each `dash.period` dots.
  var dash: (on: Int, period: Int) = (1, 1)
  /// Position within the dash pattern. Also advances over clipped dots, so that dashes do not move
  /// when panning.
  var phase = 0

  /// Draws one dot unless it is clipped or the cell has an ink that hides it.
  @inline(__always)
  func plot(_ x: Int, _ y: Int) {
    guard x >= clip.minX, x <= clip.maxX, y >= clip.minY, y <= clip.maxY else { return }
    let index = (y >> 2) * columns + (x >> 1)
    let bit = DotCanvas.bit(x: x & 1, y: y & 3)
    let there = inks[index]
    if ink.stratum > there.stratum + 1 {
      dots[index] = bit
    } else if there.stratum > ink.stratum + 1 {
      return
    } else {
      dots[index] |= bit
    }
    if ink >= there {
      inks[index] = ink
      tags[index] = tag
    }
  }

  /// Draws a line including both end points: Liang–Barsky clipping, then Bresenham's algorithm.
  mutating func line(fromX x0: Int, y y0: Int, toX x1: Int, y y1: Int) {
    let length = max(abs(x1 - x0), abs(y1 - y0))
    defer { phase = (phase + length) % dash.period }
    let isInside =
      min(x0, x1) >= clip.minX && max(x0, x1) <= clip.maxX && min(y0, y1) >= clip.minY
      && max(y0, y1) <= clip.maxY
    if isInside {
      bresenham(x0, y0, x1, y1, phase: phase)
      return
    }
    guard max(x0, x1) >= clip.minX, min(x0, x1) <= clip.maxX, max(y0, y1) >= clip.minY,
      min(y0, y1) <= clip.maxY, let (start, end) = clipped(x0, y0, x1, y1)
    else { return }
    let (dx, dy) = (Double(x1 - x0), Double(y1 - y0))
    func at(_ origin: Int, _ delta: Double, _ share: Double) -> Int {
      origin + Int((delta * share).rounded())
    }
    bresenham(
      at(x0, dx, start), at(y0, dy, start), at(x0, dx, end), at(y0, dy, end),
      phase: phase + Int((Double(length) * start).rounded()))
  }

  /// The parameters (0...1) at which the line enters and leaves the clip; nil when it misses it.
  private func clipped(_ x0: Int, _ y0: Int, _ x1: Int, _ y1: Int) -> (Double, Double)? {
    var start = 0.0
    var end = 1.0
    func cut(_ direction: Int, _ distance: Int) -> Bool {
      if direction == 0 { return distance >= 0 }
      let share = Double(distance) / Double(direction)
      if direction < 0 {
        if share > end { return false }
        start = max(start, share)
      } else {
        if share < start { return false }
        end = min(end, share)
      }
      return true
    }
    guard cut(x0 - x1, x0 - clip.minX), cut(x1 - x0, clip.maxX - x0),
      cut(y0 - y1, y0 - clip.minY), cut(y1 - y0, clip.maxY - y0)
    else { return nil }
    return (start, end)
  }

  private func bresenham(_ x0: Int, _ y0: Int, _ x1: Int, _ y1: Int, phase: Int) {
    let dx = abs(x1 - x0)
    let dy = -abs(y1 - y0)
    let stepX = x0 < x1 ? 1 : -1
    let stepY = y0 < y1 ? 1 : -1
    var (x, y, error) = (x0, y0, dx + dy)
    var along = phase % dash.period
    while true {
      if along < dash.on { plot(x, y) }
      if x == x1 && y == y1 { return }
      along = along + 1 == dash.period ? 0 : along + 1
      let doubled = 2 * error
      if doubled >= dy {
        error += dy
        x += stepX
      }
      if doubled <= dx {
        error += dx
        y += stepY
      }
    }
  }
}

/// A rectangle of dots with inclusive edges; empty when a maximum is below its minimum.
struct DotRect: Hashable {
  var minX: Int
  var minY: Int
  var maxX: Int
  var maxY: Int

  func intersection(_ other: DotRect) -> DotRect {
    DotRect(
      minX: max(minX, other.minX), minY: max(minY, other.minY), maxX: min(maxX, other.maxX),
      maxY: min(maxY, other.maxY))
  }

  /// The columns of cells, and the rows of cells that are so many dots high, whose centres lie in
  /// the rectangle. Adjoining rectangles share no cell and miss none.
  func cells(columns: Int, rows: Int, height: Int) -> (columns: Range<Int>, rows: Range<Int>) {
    func range(_ low: Int, _ high: Int, _ size: Int, _ count: Int) -> Range<Int> {
      // The centre of cell c is the dot c * size + size / 2.
      let first = min(max((low + size / 2 - 1) / size, 0), count)
      return first..<min(max((high + size / 2) / size, first), count)
    }
    return (range(minX, maxX, 2, columns), range(minY, maxY, height, rows))
  }
}

extension MapInk {
  /// Decides which inks may share a cell: when two strata differ by more than one, the dots of the
  /// lower one are dropped. So a fill never blurs a line, but a coast stays visible under a border
  /// that meets it.
  @inline(__always)
  var stratum: UInt8 {
    switch self {
    case .outside, .sea: 0
    case .land, .green, .water, .building, .unreadable: 0
    case .grid, .ring, .waterway, .path: 1
    case .lake, .coast, .rail, .street, .cityLight: 2
    case .state, .disputed, .border, .secondaryRoad, .primaryRoad, .motorway: 3
    case .area, .oldTrail, .trail: 4
    case .countryLabel, .gridLabel, .waterLabel, .streetLabel, .cityLabel, .arrow, .markerLabel,
      .marker, .initial:
      6
    }
  }
}

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
