/// The cells of one screen buffer and the operations that move them.
struct ScreenGrid: Hashable, Sendable {
  private(set) var rows: Int
  private(set) var columns: Int
  private var cells: [[ScreenCell]]

  init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
    cells = Array(repeating: Array(repeating: .blank, count: columns), count: rows)
  }

  subscript(row: Int, column: Int) -> ScreenCell { cells[row][column] }

  /// The text of a row without trailing blanks.
  func line(_ row: Int) -> String {
    var text = cells[row].map(\.text).joined()[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }

  func cells(in row: Int) -> [ScreenCell] { cells[row] }

  /// Writes the first scalar of a grapheme and blanks wide neighbours that it overwrites in part.
  mutating func put(_ text: String, width: Int, style: ScreenCell.Style, row: Int, column: Int) {
    separate(row, at: column)
    separate(row, at: column + width)
    cells[row][column] = ScreenCell(text: text, style: style)
    // A terminal with one column has no room for the second half.
    if width == 2, column + 1 < columns {
      cells[row][column + 1] = ScreenCell(text: "", style: style)
    }
  }

  /// Appends a zero-width scalar to the grapheme in a cell.
  mutating func combine(_ scalar: Unicode.Scalar, row: Int, column: Int) {
    let lead = column > 0 && cells[row][column].text.isEmpty ? column - 1 : column
    cells[row][lead].text.unicodeScalars.append(scalar)
  }

  /// Blanks cells with the current background colour, as terminals with `bce` do.
  mutating func erase(_ row: Int, _ range: Range<Int>, background: ScreenCell.Color) {
    let range = range.clamped(to: 0..<columns)
    guard !range.isEmpty else { return }
    separate(row, at: range.lowerBound)
    separate(row, at: range.upperBound)
    let blank = Self.blank(background)
    for column in range { cells[row][column] = blank }
  }

  mutating func insertCells(_ count: Int, row: Int, column: Int, background: ScreenCell.Color) {
    separate(row, at: column)
    let count = min(count, columns - column)
    let blanks = Array(repeating: Self.blank(background), count: count)
    cells[row].insert(contentsOf: blanks, at: column)
    cells[row].removeLast(count)
    mendEnd(row)
  }

  mutating func deleteCells(_ count: Int, row: Int, column: Int, background: ScreenCell.Color) {
    let count = min(count, columns - column)
    separate(row, at: column)
    separate(row, at: column + count)
    cells[row].removeSubrange(column..<column + count)
    cells[row].append(contentsOf: repeatElement(Self.blank(background), count: count))
  }

  /// Scrolls a region up; blank rows enter at the bottom.
  mutating func scrollUp(_ region: Range<Int>, by count: Int, background: ScreenCell.Color) {
    let count = min(count, region.count)
    guard count > 0 else { return }
    cells.removeSubrange(region.lowerBound..<region.lowerBound + count)
    cells.insert(contentsOf: blankRows(count, background), at: region.upperBound - count)
  }

  /// Scrolls a region down; blank rows enter at the top.
  mutating func scrollDown(_ region: Range<Int>, by count: Int, background: ScreenCell.Color) {
    let count = min(count, region.count)
    guard count > 0 else { return }
    cells.removeSubrange(region.upperBound - count..<region.upperBound)
    cells.insert(contentsOf: blankRows(count, background), at: region.lowerBound)
  }

  /// Truncates or extends the grid at the right and at the bottom.
  mutating func resize(rows newRows: Int, columns newColumns: Int) {
    for row in cells.indices {
      if newColumns < columns {
        separate(row, at: newColumns)
        cells[row].removeLast(columns - newColumns)
      } else {
        cells[row].append(contentsOf: repeatElement(.blank, count: newColumns - columns))
      }
    }
    columns = newColumns
    if newRows < rows {
      cells.removeLast(rows - newRows)
    } else {
      cells.append(contentsOf: blankRows(newRows - rows, .standard))
    }
    rows = newRows
  }

  private func blankRows(_ count: Int, _ background: ScreenCell.Color) -> [[ScreenCell]] {
    Array(
      repeating: Array(repeating: Self.blank(background), count: columns), count: count)
  }

  private static func blank(_ background: ScreenCell.Color) -> ScreenCell {
    var cell = ScreenCell.blank
    cell.style.background = background
    return cell
  }

  /// Blanks both halves of a wide cell that would be split before `column`.
  private mutating func separate(_ row: Int, at column: Int) {
    guard column > 0, column < columns, cells[row][column].text.isEmpty else { return }
    cells[row][column].text = " "
    cells[row][column - 1].text = " "
  }

  /// Blanks a wide cell whose right half was shifted out of the row.
  private mutating func mendEnd(_ row: Int) {
    guard let text = cells[row].last?.text, let first = text.unicodeScalars.first,
      first.terminalWidth == 2
    else { return }
    cells[row][columns - 1].text = " "
  }
}
