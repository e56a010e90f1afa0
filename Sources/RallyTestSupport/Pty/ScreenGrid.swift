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

/// One cell of an emulated screen.
public struct ScreenCell: Hashable, Sendable {
  /// A grapheme; empty in the right half of a wide one.
  public var text: String
  public var style: Style

  public static let blank = ScreenCell(text: " ", style: Style())

  public struct Style: Hashable, Sendable {
    public var bold = false
    public var dim = false
    public var italic = false
    public var underline = false
    public var blink = false
    public var reverse = false
    public var hidden = false
    public var foreground = Color.standard
    public var background = Color.standard

    public init() {}
  }

  public enum Color: Hashable, Sendable {
    case standard
    case palette(Int)
    case rgb(Int, Int, Int)
  }
}

extension ScreenCell.Style {
  /// Applies SGR parameters; none resets the style.
  mutating func apply(_ parameters: [Int?]) {
    var rest = parameters.map { $0 ?? 0 }[...]
    while let code = rest.popFirst() {
      switch code {
      case 0: self = ScreenCell.Style()
      case 1: bold = true
      case 2: dim = true
      case 3: italic = true
      case 4: underline = true
      case 5, 6: blink = true
      case 7: reverse = true
      case 8: hidden = true
      case 21, 22: (bold, dim) = (false, false)
      case 23: italic = false
      case 24: underline = false
      case 25: blink = false
      case 27: reverse = false
      case 28: hidden = false
      case 30...37: foreground = .palette(code - 30)
      case 38: foreground = Self.extendedColor(&rest) ?? foreground
      case 39: foreground = .standard
      case 40...47: background = .palette(code - 40)
      case 48: background = Self.extendedColor(&rest) ?? background
      case 49: background = .standard
      case 90...97: foreground = .palette(code - 90 + 8)
      case 100...107: background = .palette(code - 100 + 8)
      default: break
      }
    }
  }

  private static func extendedColor(_ rest: inout ArraySlice<Int>) -> ScreenCell.Color? {
    switch rest.popFirst() {
    case 5: return rest.popFirst().map(ScreenCell.Color.palette)
    case 2:
      guard let red = rest.popFirst(), let green = rest.popFirst(), let blue = rest.popFirst()
      else { return nil }
      return .rgb(red, green, blue)
    default: return nil
    }
  }
}

extension Unicode.Scalar {
  /// The width of this scalar in cells, as in glibc's `wcwidth` in a UTF-8 locale.
  ///
  /// Independent of the program's own width function, so that tests find mistakes there.
  var terminalWidth: Int {
    if value < 0x300 { return 1 }
    switch value {
    case 0x1160...0x11FF, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x2064, 0xFEFF: return 0
    default: break
    }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F320, 0x1F3FB...0x1F3FF,
      0x20000...0x3FFFD:
      return 2
    default:
      return properties.isEmojiPresentation ? 2 : 1
    }
  }
}
