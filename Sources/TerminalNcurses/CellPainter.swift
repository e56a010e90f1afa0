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
    hasEightColors = colorMode == .sixteen && rally_curses_colors() < 16
    numbers = numbersColors ? ColorNumbers() : nil
    self.hasFewSigns = hasFewSigns
    self.isASCII = isASCII
    theme = ResolvedTheme(Theme(), mode: colorMode)
    canPlace = !hasFewSigns && !isASCII && placesByANSI
  }

  /// Draws the differences with ncurses; returns text to be written after its output.
  func send(_ buffer: CellBuffer, since previous: CellBuffer?, cursor: Cursor?) -> String {
    let window = rally_curses_stdscr()
    if previous == nil { werase(window) }
    var doubtful: [(row: Int, first: Int)] = []
    let width = Int(rally_curses_cols())
    for y in 0..<min(buffer.size.height, Int(rally_curses_lines())) {
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
      wmove(window, rally_curses_lines() - 1, rally_curses_cols() - 1)
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
    let (x, y) = (Int(getcurx(rally_curses_curscr())), Int(getcury(rally_curses_curscr())))
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
      _ = rally_curses_put_cell(rally_curses_stdscr(), Int32(y), Int32(x), text, attributes, pair)
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
    return rally_curses_wcwidth(wchar_t(bitPattern: scalar.value)) == Int32(width)
  }

  /// The text of a cell for ncurses; a substitute of two letters fills two cells.
  private func pieces(_ text: String, width: Int) -> [(offset: Int, text: [wchar_t])] {
    let scalars = text.unicodeScalars.map { wchar_t(bitPattern: $0.value) }
    guard width == 2, scalars.count == 2, text.utf8.count == 2 else { return [(0, scalars + [0])] }
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
    guard pair < rally_curses_color_pairs(),
      init_extended_pair(
        pair, numbers?.number(of: look.foreground) ?? look.foreground,
        numbers?.number(of: look.background) ?? look.background) == OK
    else { return 0 }
    pairs[key] = pair
    return pair
  }

  private func attributes(_ attributes: TextAttributes) -> attr_t {
    var value = RALLY_CURSES_A_NORMAL
    if attributes.contains(.bold) { value |= RALLY_CURSES_A_BOLD }
    if attributes.contains(.dim) { value |= RALLY_CURSES_A_DIM }
    if attributes.contains(.italic) { value |= RALLY_CURSES_A_ITALIC }
    if attributes.contains(.underline) { value |= RALLY_CURSES_A_UNDERLINE }
    if attributes.contains(.reverse) { value |= RALLY_CURSES_A_REVERSE }
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

/// 24-bit colours on a terminal whose description has 256. ncurses draws with the numbers 16...255,
/// each of which stands for one colour here. The sequences that choose them are replaced as a frame
/// is sent.
///
/// Terminals that draw 24 bits are mostly described as `xterm-256color`, and descriptions with 24
/// bits are rarely installed. Source of the sequences: "XTerm Control Sequences", SGR 38 and 48.
struct ColorNumbers {
  private static let first = 16
  private var numbers: [Int32: Int32] = [:]
  /// By number, from `first` on.
  private var colors: [Int32] = []

  /// The number that ncurses shall draw a colour with; the nearest one's once all are taken.
  ///
  /// - Parameter color: 24-bit RGB; below 16 one of the terminal's own colours, which stays itself.
  mutating func number(of color: Int32) -> Int32 {
    guard color >= Self.first else { return color }
    if let number = numbers[color] { return number }
    guard colors.count + Self.first < 256 else {
      let nearest = colors.indices.min { distance(colors[$0], color) < distance(colors[$1], color) }
      return Int32(Self.first + (nearest ?? 0))
    }
    let number = Int32(Self.first + colors.count)
    colors.append(color)
    numbers[color] = number
    return number
  }

  private func distance(_ one: Int32, _ other: Int32) -> Int32 {
    [16, 8, 0].reduce(0) { sum, shift in
      let difference = (one >> shift & 255) - (other >> shift & 255)
      return sum + difference * difference
    }
  }

  /// The parameters of a sequence that chooses colours, with the colours themselves in place of their
  /// numbers.
  ///
  /// - Returns: nil where no number is among the parameters.
  func replaced(_ parameters: ArraySlice<UInt8>) -> [UInt8]? {
    var parts = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map(Array.init)
    guard parts.count >= 3 else { return nil }
    var isChanged = false
    for index in 0..<(parts.count - 2)
    where (parts[index] == Array("38".utf8) || parts[index] == Array("48".utf8))
      && parts[index + 1] == Array("5".utf8)
    {
      guard let number = Int(String(decoding: parts[index + 2], as: UTF8.self)),
        colors.indices.contains(number - Self.first)
      else { continue }
      let color = colors[number - Self.first]
      parts[index + 1] = Array("2".utf8)
      parts[index + 2] = Array("\(color >> 16 & 255);\(color >> 8 & 255);\(color & 255)".utf8)
      isChanged = true
    }
    return isChanged ? Array(parts.joined(separator: [UInt8(ascii: ";")])) : nil
  }
}

/// Cells whose width differs between terminals: emoji newer than the terminal, combining marks that
/// some fonts do not join, and letters that are wide only by configuration.
///
/// With a wrong width ncurses would misplace the rest of the row. So ncurses is given a placeholder
/// instead, and each changed row with such cells is completed here. That blanks the cells,
/// positions the cursor before and after the cluster, and rewrites the rest of the row over any
/// excess width.
@MainActor private enum AmbiguousWidthCells {
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
