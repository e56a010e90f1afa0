import CNcurses
import TerminalKit

/// Draws cells with ncurses: what changed in a frame, in the theme's appearance and in characters
/// that the terminal can show.
@MainActor final class CellPainter {
  /// The colour mode in use, after limiting it to the terminal's capabilities.
  let colorMode: ColorMode
  /// Whether symbols are replaced by ASCII because the terminal's font lacks them.
  let hasFewSigns: Bool
  /// Whether everything becomes ASCII, since the locale is not UTF-8.
  let isASCII: Bool
  var theme: ResolvedTheme
  /// Whether the bright eight of the sixteen colours are missing.
  private let hasEightColors: Bool
  /// Whether the terminal uses the ANSI cursor position sequence, which `AmbiguousWidthCells` requires.
  private let canPlace: Bool
  /// Whether rows may be scrolled; false where the window has more rows than are drawn on.
  var scrollsRows = true
  private var hasAmbiguousCells = false
  private var pairs: [UInt64: Int32] = [:]
  /// What ncurses' colours stand for; nil where they are the terminal's.
  private(set) var numbers: ColorNumbers?
  private var isCursorVisible: Bool?
  /// Whether the terminal cannot hide its cursor, which waits in the corner then.
  private var showsCursorAlways = false

  /// - Parameters:
  ///   - numbersColors: Whether 24-bit colours are to be drawn by `ColorNumbers`.
  ///   - placesByANSI: Whether the terminal's `cup` is the ANSI cursor position sequence.
  init(
    colorMode: ColorMode, numbersColors: Bool, hasFewSigns: Bool, isASCII: Bool, placesByANSI: Bool
  ) {
    self.colorMode = colorMode
    hasEightColors = colorMode == .sixteen && cn_colors() < 16
    numbers = numbersColors ? ColorNumbers() : nil
    self.hasFewSigns = hasFewSigns
    self.isASCII = isASCII
    theme = ResolvedTheme(Theme(), mode: colorMode)
    canPlace = !hasFewSigns && !isASCII && placesByANSI
  }

  /// Draws the differences with ncurses; returns text to be written after its output.
  func send(_ buffer: CellBuffer, since previous: CellBuffer?, cursor: Cursor?) -> String {
    let window = cn_stdscr()
    if previous == nil { werase(window) }
    var doubtful: [(row: Int, first: Int)] = []
    let width = Int(cn_cols())
    for y in 0..<min(buffer.size.height, Int(cn_lines())) {
      guard let columns = buffer.changedColumns(ofRow: y, since: previous) else { continue }
      let row = buffer.row(y)
      let former = previous?.size == buffer.size ? previous?.row(y) : nil
      for x in columns where x < width {
        let cell = row[row.startIndex + x]
        let isSame = if let former { former[former.startIndex + x] == cell } else { false }
        if cell.width > 0, cell.width > 1 || !isSame { put(cell, x: x, y: y) }
      }
      if canPlace, let first = AmbiguousWidthCells.first(in: row) {
        doubtful.append((y, first))
      }
    }
    setCursorVisible(cursor?.isVisible ?? false)
    if let cursor, cursor.isVisible || !showsCursorAlways {
      wmove(window, Int32(cursor.position.y), Int32(cursor.position.x))
    } else if showsCursorAlways {
      wmove(window, cn_lines() - 1, cn_cols() - 1)
    }
    // Disable line insertion and deletion: with placeholders, rows that look equal may differ.
    hasAmbiguousCells = hasAmbiguousCells && previous != nil || !doubtful.isEmpty
    idlok(window, scrollsRows && !hasAmbiguousCells)
    wnoutrefresh(window)
    doupdate()
    return finished(doubtful, of: buffer)
  }

  private func finished(_ rows: [(row: Int, first: Int)], of buffer: CellBuffer) -> String {
    guard !rows.isEmpty else { return "" }
    var sent = ""
    for (row, first) in rows {
      sent += AmbiguousWidthCells.row(row, of: buffer, from: first) {
        appearance(of: $0.style).sequence(in: colorMode)
      } text: {
        shownText(of: $0)
      }
    }
    let (x, y) = (Int(getcurx(cn_curscr())), Int(getcury(cn_curscr())))
    return sent + Appearance().sequence + AmbiguousWidthCells.place(max(0, x), max(0, y))
  }

  /// The text of a cell, or its ASCII substitute on this terminal.
  private func shownText(of cell: Cell) -> String {
    let text = cell.glyph.text
    guard let scalar = text.unicodeScalars.first, !isShown(scalar, in: Int(cell.width)) else {
      return text
    }
    return AsciiGlyphs.substitute(for: text, width: Int(cell.width))
  }

  private func put(_ cell: Cell, x: Int, y: Int) {
    let look = visibleAppearance(of: cell)
    let pair = pair(look)
    let attributes = attributes(look.attributes)
    func put(_ text: UnsafePointer<wchar_t>?, at x: Int) {
      _ = cn_put_cell(cn_stdscr(), Int32(y), Int32(x), text, attributes, pair)
    }
    if canPlace, AmbiguousWidthCells.hasAmbiguousWidth(cell) {
      let text = (wchar_t(bitPattern: AmbiguousWidthCells.placeholder.value), wchar_t(0))
      withUnsafeBytes(of: text) {
        for offset in 0..<Int(cell.width) {
          put($0.assumingMemoryBound(to: wchar_t.self).baseAddress, at: x + offset)
        }
      }
      return
    }
    if let scalar = cell.glyph.scalar, isShown(scalar, in: Int(cell.width)) {
      // The common case, without allocation.
      let text = (wchar_t(bitPattern: scalar.value), wchar_t(0))
      withUnsafeBytes(of: text) { put($0.assumingMemoryBound(to: wchar_t.self).baseAddress, at: x) }
      return
    }
    for (offset, piece) in pieces(shownText(of: cell), width: Int(cell.width)) {
      piece.withUnsafeBufferPointer { put($0.baseAddress, at: x + offset) }
    }
  }

  /// The theme's appearance, in the colours that there are.
  private func appearance(of style: Style) -> Appearance {
    let look = theme.appearance(of: style)
    return hasEightColors ? look.inEightColors : look
  }

  /// The appearance of a cell without what nobody sees: of a blank its foreground and its intensity,
  /// unless it is reversed or underlined. ncurses clears blanks that are alike with one sequence.
  private func visibleAppearance(of cell: Cell) -> Appearance {
    let look = appearance(of: cell.style)
    guard cell.glyph == .space, look.attributes.isDisjoint(with: [.reverse, .underline]) else {
      return look
    }
    return Appearance(background: look.background)
  }

  /// Whether the terminal can show the scalar and libc's `wcwidth` agrees with our width.
  private func isShown(_ scalar: Unicode.Scalar, in width: Int) -> Bool {
    if scalar.value < 0x7F { return true }
    if isASCII { return false }
    if hasFewSigns, AsciiGlyphs.replaces(scalar) { return false }
    // Our own symbols stay one cell wide even if ambiguous characters are wide.
    if isAmbiguousWide, width == 1, CellWidth.isAmbiguous(scalar) { return false }
    return cn_wcwidth(wchar_t(bitPattern: scalar.value)) == Int32(width)
  }

  /// The text of a cell for ncurses; a substitute of two letters fills two cells.
  private func pieces(_ text: String, width: Int) -> [(offset: Int, text: [wchar_t])] {
    let scalars = text.unicodeScalars.map { wchar_t(bitPattern: $0.value) }
    guard width == 2, scalars.count == 2, text.utf8.count == 2 else {
      return [(0, scalars + [0])]
    }
    return [(0, [scalars[0], 0]), (1, [scalars[1], 0])]
  }

  private var isAmbiguousWide: Bool { TextWidths.current.isAmbiguousWide }

  private func pair(_ look: Appearance) -> Int32 {
    guard colorMode != .mono, look.foreground >= 0 || look.background >= 0 else { return 0 }
    let key =
      UInt64(UInt32(bitPattern: look.foreground)) << 32
      | UInt64(UInt32(bitPattern: look.background))
    if let pair = pairs[key] { return pair }
    let pair = Int32(pairs.count + 1)
    guard pair < cn_color_pairs(),
      init_extended_pair(
        pair, numbers?.number(of: look.foreground) ?? look.foreground,
        numbers?.number(of: look.background) ?? look.background) == OK
    else { return 0 }
    pairs[key] = pair
    return pair
  }

  private func attributes(_ attributes: TextAttributes) -> attr_t {
    var value = CN_A_NORMAL
    if attributes.contains(.bold) { value |= CN_A_BOLD }
    if attributes.contains(.dim) { value |= CN_A_DIM }
    if attributes.contains(.italic) { value |= CN_A_ITALIC }
    if attributes.contains(.underline) { value |= CN_A_UNDERLINE }
    if attributes.contains(.reverse) { value |= CN_A_REVERSE }
    return value
  }

  func setCursorVisible(_ isVisible: Bool) {
    guard isVisible != isCursorVisible else { return }
    // ncurses writes nothing where it believes that the terminal has it already.
    if isCursorVisible == nil { curs_set(isVisible ? 0 : 1) }
    isCursorVisible = isVisible
    let before = curs_set(isVisible ? 1 : 0)
    if !isVisible { showsCursorAlways = before < 0 }
  }

  /// Has the next frame set the cursor again, whatever another program left.
  func forgetCursor() { isCursorVisible = nil }
}
