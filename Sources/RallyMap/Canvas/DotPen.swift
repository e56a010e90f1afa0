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
