import TerminalKit

/// Cells whose width differs between terminals: emoji newer than the terminal, combining marks that
/// some fonts do not join, and letters that are wide only by configuration.
///
/// With a wrong width ncurses would misplace the rest of the row. So ncurses is given a placeholder
/// instead, and each changed row with such cells is completed here: blank the cells, position the
/// cursor before and after the cluster, and rewrite the rest of the row over any excess width.
@MainActor enum AmbiguousWidthCells {
  /// An invisible character of width 1 on all terminals. Not a space, which ncurses may skip or use
  /// to move the cursor.
  static let placeholder: Unicode.Scalar = "\u{A0}"

  /// Whether terminals disagree on the width of the cell's text.
  static func hasAmbiguousWidth(_ cell: Cell) -> Bool {
    guard let scalar = cell.glyph.scalar else {
      // Accents join Latin, Greek and Cyrillic letters everywhere.
      return cell.width > 0 && (cell.glyph.text.unicodeScalars.first?.value ?? 0) >= 0x530
    }
    if cell.width == 2 { return !isIdeographic(scalar.value) }
    // None among the signs, of which a map consists.
    return scalar.value >= 0x900 && !(0x2000..<0x2E80).contains(scalar.value)
      && scalar.properties.generalCategory == .spacingMark
  }

  /// Scalars that have width 2 on all terminals that support them.
  private static func isIdeographic(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF01...0xFFE6, 0x20000...0x3FFFD:
      true
    default: false
    }
  }

  /// The first cell of ambiguous width in a row.
  static func first(in row: ArraySlice<Cell>) -> Int? {
    // A loop: an isolated function that is given to the standard library is checked at every call.
    for x in row.indices where hasAmbiguousWidth(row[x]) { return x - row.startIndex }
    return nil
  }

  /// The bytes that redraw a row from its first cell of ambiguous width on.
  ///
  /// - Parameters:
  ///   - look: The SGR sequence for a cell's style.
  ///   - text: The text to send for all other cells.
  static func row(
    _ y: Int, of buffer: CellBuffer, from first: Int, look: (Cell) -> String,
    text: (Cell) -> String
  ) -> String {
    var sent = place(first, y)
    var shown: String?
    for x in first..<buffer.size.width {
      let cell = buffer[x, y]
      guard cell.width > 0 else { continue }
      let wanted = look(cell)
      if wanted != shown { sent += wanted }
      shown = wanted
      if hasAmbiguousWidth(cell) {
        sent += String(repeating: " ", count: Int(cell.width)) + place(x, y)
        sent += cell.glyph.text + place(x + Int(cell.width), y)
      } else {
        sent += text(cell)
      }
    }
    return sent
  }

  /// Cursor position (CUP) for a 0-based cell; terminals clamp it to the last column.
  static func place(_ x: Int, _ y: Int) -> String { "\u{1b}[\(y + 1);\(x + 1)H" }
}
