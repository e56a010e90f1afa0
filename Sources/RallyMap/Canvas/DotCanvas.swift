/// Dots in cells: 2 columns and 4 rows of them each, with one ink a cell.
struct DotCanvas {
  let columns: Int
  let rows: Int
  /// A cell's dots, in the bits of Unicode's braille patterns.
  var dots: ContiguousArray<UInt8>
  /// The highest ink that was drawn in the cell.
  var inks: ContiguousArray<MapInk>
  var tags: ContiguousArray<UInt8>

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    dots = ContiguousArray(repeating: 0, count: columns * rows)
    inks = ContiguousArray(repeating: .sea, count: columns * rows)
    tags = ContiguousArray(repeating: 0, count: columns * rows)
  }

  /// The bit of a dot within its cell: x 0...1, y 0...3.
  @inline(__always)
  static func bit(x: Int, y: Int) -> UInt8 {
    // Braille numbers its upper six dots down the columns, the lower two came later.
    y == 3 ? 0x40 << UInt8(x) : 1 << UInt8(y + 3 * x)
  }

  /// Lends a pen that draws lines within `clip`, dots from the upper left corner.
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
