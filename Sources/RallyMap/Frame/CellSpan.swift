/// A horizontal run of cells in one row.
public struct CellSpan: Hashable, Sendable {
  public var column: Int
  public var row: Int
  public var width: Int

  public init(column: Int, row: Int, width: Int) {
    self.column = column
    self.row = row
    self.width = width
  }

  public func contains(column: Int, row: Int) -> Bool {
    row == self.row && (self.column..<(self.column + width)).contains(column)
  }

  /// The span extended by one cell on both sides.
  var widened: CellSpan { CellSpan(column: column - 1, row: row, width: width + 2) }
}
