/// Which cells are occupied by text or markers, and by which owner.
struct Occupancy {
  let columns: Int
  let rows: Int
  /// Owner id per cell; 0 is free.
  private var owners: ContiguousArray<Int32>

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    owners = ContiguousArray(repeating: 0, count: columns * rows)
  }

  /// Whether the span lies on the grid and all its cells, plus `margin` cells on both sides, are
  /// free or belong to `owner`.
  func isFree(_ span: CellSpan, margin: Int = 0, owner: Int32 = 0) -> Bool {
    guard span.row >= 0, span.row < rows, span.column >= 0, span.column + span.width <= columns
    else { return false }
    let first = max(span.column - margin, 0)
    let last = min(span.column + span.width + margin, columns) - 1
    guard first <= last else { return true }
    for index in span.row * columns + first...span.row * columns + last
    where owners[index] != 0 && owners[index] != owner {
      return false
    }
    return true
  }

  /// - Precondition: The span lies on the grid.
  mutating func take(_ span: CellSpan, owner: Int32) {
    for index in span.row * columns + span.column..<span.row * columns + span.column + span.width {
      owners[index] = owner
    }
  }
}
