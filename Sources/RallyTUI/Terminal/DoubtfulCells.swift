/// Cells that terminals give different widths: emoji that are newer than the terminal, marks that join in one
/// font and not in another, and letters that are wide only where somebody said so.
///
/// ncurses would go on writing beside them, and all that follows in the row would stand elsewhere. So it is
/// told that something harmless stands there, and each row with such cells that changed is finished here: the
/// room is blanked, the cursor is sent to its place before the cluster and after it, and what follows is
/// written again, over whatever the cluster took too much.
@MainActor enum DoubtfulCells {
  /// Takes one cell everywhere and is seen nowhere; no blank, which ncurses would leave out, and nothing
  /// that it would write to move the cursor.
  static let placeholder: Unicode.Scalar = "\u{A0}"

  static func isDoubtful(_ cell: Cell) -> Bool {
    guard let scalar = cell.glyph.scalar else {
      // Accents join Latin, Greek and Cyrillic letters everywhere.
      return cell.width > 0 && (cell.glyph.text.unicodeScalars.first?.value ?? 0) >= 0x530
    }
    if cell.width == 2 { return !isIdeographic(scalar.value) }
    return scalar.value >= 0x900 && scalar.properties.generalCategory == .spacingMark
  }

  /// What all terminals that show it at all give two cells.
  private static func isIdeographic(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF01...0xFFE6, 0x20000...0x3FFFD:
      true
    default: false
    }
  }

  /// The first such cell of a row.
  static func first(in buffer: CellBuffer, row: Int) -> Int? {
    (0..<buffer.size.width).first { isDoubtful(buffer[$0, row]) }
  }

  /// Draws a row again from its first doubtful cell on.
  ///
  /// - Parameters:
  ///   - look: What a cell looks like, as a sequence.
  ///   - text: What is sent for a cell that is not doubtful.
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
      if isDoubtful(cell) {
        sent += String(repeating: " ", count: Int(cell.width)) + place(x, y)
        sent += cell.glyph.text + place(x + Int(cell.width), y)
      } else {
        sent += text(cell)
      }
    }
    return sent
  }

  /// CUP, which counts from one; beyond the last column it stays in it.
  static func place(_ x: Int, _ y: Int) -> String { "\u{1b}[\(y + 1);\(x + 1)H" }
}
