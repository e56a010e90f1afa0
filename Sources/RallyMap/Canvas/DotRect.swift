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
