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
