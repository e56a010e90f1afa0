import CPtyHolder

/// A terminal as a value: bytes go in, a picture and the modes come out.
///
/// It knows what ncurses and the programs tested here send to `xterm-256color` (cursor and
/// scrolling, insertion and deletion, SGR, character sets, the alternate screen, private modes,
/// titles), answers the common questions in `replies`, and counts what it did not know.
public struct ScreenEmulator: Sendable {
  public private(set) var rows: Int
  public private(set) var columns: Int
  /// The cursor's cell, from zero.
  public internal(set) var cursor = Position()
  /// Private modes that are on, such as 25 (cursor shown), 1049 (alternate screen), 1000, 1002,
  /// 1003, 1006 (mouse), 1004 (focus), 2004 (bracketed paste).
  public private(set) var modes = ScreenEmulator.initialModes
  /// Every private mode that was set or reset, in order.
  public private(set) var modeChanges: [ModeChange] = []
  public private(set) var title = ""
  /// What `OSC 52` put on the clipboard, still in base 64.
  public private(set) var clipboard: String?
  /// Bytes that the terminal sends back to the program, such as its cursor's position.
  public internal(set) var replies: [UInt8] = []
  /// Sequences that this terminal does not know.
  public private(set) var unknown: [String] = []
  /// How often the bell rang.
  public private(set) var bells = 0
  /// The style that the next character gets.
  public private(set) var style = ScreenCell.Style()
  /// DECKPAM: the keypad sends application codes.
  public private(set) var keypadSendsApplicationCodes = false

  public struct Position: Hashable, Sendable {
    public var row: Int
    public var column: Int

    public init(row: Int = 0, column: Int = 0) {
      self.row = row
      self.column = column
    }
  }

  public struct ModeChange: Hashable, Sendable {
    public var mode: Int
    public var on: Bool

    public init(mode: Int, on: Bool) {
      self.mode = mode
      self.on = on
    }
  }

  /// How often the holder of a `PtySession` marked the end or a stop of its job.
  private(set) var holderMarks = 0
  private static let holderMark = String(cString: cph_mark())
  /// Bytes of a mark with its introducer and terminator.
  static let holderMarkLength = holderMark.utf8.count + 4

  static let initialModes: Set<Int> = [7, 25]

  private var parser = EscapeParser()
  private var grid: ScreenGrid
  private var mainGrid: ScreenGrid?
  private var region: Range<Int>
  private var saved = Saved()
  private var savedByAlternate = Saved()
  private var insertMode = false
  private var newlineMode = false
  private var charsets: [UInt8] = [UInt8(ascii: "B"), UInt8(ascii: "B")]
  private var shift = 0
  private var wrapPending = false
  private var lastPrinted: Unicode.Scalar?
  private var tabStops: Set<Int>

  private struct Saved: Sendable {
    var cursor = Position()
    var style = ScreenCell.Style()
    var charsets: [UInt8] = [UInt8(ascii: "B"), UInt8(ascii: "B")]
    var shift = 0
  }

  public init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
    grid = ScreenGrid(rows: rows, columns: columns)
    region = 0..<rows
    tabStops = Set(stride(from: 8, to: 1000, by: 8))
  }

  // MARK: - Picture

  /// The visible rows, without the blanks at their ends.
  public var lines: [String] { (0..<rows).map(grid.line) }

  /// The visible rows, one a line.
  public var text: String { lines.joined(separator: "\n") }

  public func cell(row: Int, column: Int) -> ScreenCell { grid[row, column] }

  /// The cells of a row.
  public func cells(row: Int) -> [ScreenCell] { grid.cells(in: row) }

  /// Whether any row contains this text.
  public func contains(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

  /// The first row that contains this text, from zero.
  public func row(of text: String) -> Int? { lines.firstIndex { $0.contains(text) } }

  public var showsCursor: Bool { modes.contains(25) }
  public var isAlternate: Bool { mainGrid != nil }

  /// What is still switched away from a terminal's usual state; empty once it was given back.
  public var leftovers: [String] {
    var left = modes.subtracting(Self.initialModes).sorted().map { "mode \($0) is on" }
    left += Self.initialModes.subtracting(modes).sorted().map { "mode \($0) is off" }
    if keypadSendsApplicationCodes { left.append("the keypad sends application codes") }
    if region != 0..<rows { left.append("rows \(region) scroll") }
    if style != ScreenCell.Style() { left.append("a style is on") }
    if shift != 0 || charsets[0] != UInt8(ascii: "B") { left.append("a character set is on") }
    if insertMode { left.append("insertion is on") }
    return left
  }

  // MARK: - Input

  public mutating func feed(_ bytes: some Sequence<UInt8>) {
    var actions: [EscapeParser.Action] = []
    parser.parse(bytes) { actions.append($0) }
    for action in actions { perform(action) }
  }

  public mutating func feed(_ text: String) { feed(text.utf8) }

  /// Gives the screen another size, as a terminal without reflow does.
  public mutating func resize(rows: Int, columns: Int) {
    grid.resize(rows: rows, columns: columns)
    mainGrid?.resize(rows: rows, columns: columns)
    self.rows = rows
    self.columns = columns
    region = 0..<rows
    moveCursor(row: cursor.row, column: cursor.column)
  }

  private mutating func perform(_ action: EscapeParser.Action) {
    switch action {
    case .print(let scalar): print(scalar)
    case .control(let byte): control(byte)
    case .escape(let intermediates, let final): escape(intermediates, final)
    case .sequence(let sequence): perform(sequence)
    case .systemCommand(let text): systemCommand(text)
    case .deviceString(let text): if text == Self.holderMark { holderMarks += 1 }
    }
  }

  // MARK: - Printing

  private mutating func print(_ scalar: Unicode.Scalar) {
    let scalar = translated(scalar)
    let width = scalar.terminalWidth
    guard width > 0 else {
      let column = wrapPending ? cursor.column : cursor.column - 1
      if column >= 0 { grid.combine(scalar, row: cursor.row, column: column) }
      return
    }
    if wrapPending || cursor.column + width > columns {
      if modes.contains(7) {
        cursor.column = 0
        lineFeed()
      } else {
        cursor.column = columns - width
      }
      wrapPending = false
    }
    if insertMode {
      grid.insertCells(
        width, row: cursor.row, column: cursor.column, background: style.background)
    }
    grid.put(
      String(scalar), width: width, style: style, row: cursor.row, column: cursor.column)
    lastPrinted = scalar
    if cursor.column + width >= columns {
      cursor.column = columns - 1
      wrapPending = true
    } else {
      cursor.column += width
    }
  }

  /// DEC's line drawing set, where it is selected.
  private func translated(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    guard charsets[shift] == UInt8(ascii: "0") else { return scalar }
    let drawing = "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"
    guard (0x60...0x7E).contains(scalar.value) else { return scalar }
    let scalars = drawing.unicodeScalars
    return scalars[scalars.index(scalars.startIndex, offsetBy: Int(scalar.value) - 0x60)]
  }

  private mutating func control(_ byte: UInt8) {
    switch byte {
    case 0x07: bells += 1
    case 0x08: moveCursor(row: cursor.row, column: cursor.column - 1)
    case 0x09: tab(1)
    case 0x0A, 0x0B, 0x0C:
      if newlineMode { cursor.column = 0 }
      lineFeed()
    case 0x0D: moveCursor(row: cursor.row, column: 0)
    case 0x0E: shift = 1
    case 0x0F: shift = 0
    default: break
    }
  }

  private mutating func lineFeed() {
    wrapPending = false
    if cursor.row == region.upperBound - 1 {
      grid.scrollUp(region, by: 1, background: style.background)
    } else if cursor.row < rows - 1 {
      cursor.row += 1
    }
  }

  private mutating func reverseLineFeed() {
    wrapPending = false
    if cursor.row == region.lowerBound {
      grid.scrollDown(region, by: 1, background: style.background)
    } else if cursor.row > 0 {
      cursor.row -= 1
    }
  }

  private mutating func tab(_ count: Int) {
    for _ in 0..<abs(count) {
      let next =
        count > 0
        ? tabStops.filter { $0 > cursor.column }.min() ?? columns - 1
        : tabStops.filter { $0 < cursor.column }.max() ?? 0
      moveCursor(row: cursor.row, column: next)
    }
  }

  private mutating func moveCursor(row: Int, column: Int) {
    cursor.row = min(max(row, 0), rows - 1)
    cursor.column = min(max(column, 0), columns - 1)
    wrapPending = false
  }

  // MARK: - Escapes

  private mutating func escape(_ intermediates: [UInt8], _ final: UInt8) {
    switch (intermediates.first.map(Character.init(byte:)), Character(byte: final)) {
    case (nil, "7"): saved = current
    case (nil, "8"): restore(saved)
    case (nil, "D"): lineFeed()
    case (nil, "E"):
      cursor.column = 0
      lineFeed()
    case (nil, "H"): tabStops.insert(cursor.column)
    case (nil, "M"): reverseLineFeed()
    case (nil, "c"): reset()
    case (nil, "="): keypadSendsApplicationCodes = true
    case (nil, ">"): keypadSendsApplicationCodes = false
    case (nil, "\\"): break
    case ("(", _): charsets[0] = final
    case (")", _): charsets[1] = final
    case ("*", _), ("+", _), (" ", _), ("%", _): break
    default: note("ESC \(String(decoding: intermediates + [final], as: UTF8.self))")
    }
  }

  private var current: Saved {
    Saved(cursor: cursor, style: style, charsets: charsets, shift: shift)
  }

  private mutating func restore(_ slot: Saved) {
    style = slot.style
    charsets = slot.charsets
    shift = slot.shift
    moveCursor(row: slot.cursor.row, column: slot.cursor.column)
  }

  private mutating func reset() {
    let kept = (modeChanges, replies, unknown, bells, clipboard)
    self = ScreenEmulator(rows: rows, columns: columns)
    (modeChanges, replies, unknown, bells, clipboard) = kept
  }

  private mutating func systemCommand(_ text: String) {
    let parts = text.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
    let value = parts.count > 1 ? String(parts[1]) : ""
    switch parts.first {
    case "0", "2": title = value
    case "52": clipboard = value.split(separator: ";").last.map(String.init)
    default: break
    }
  }

  private mutating func note(_ what: String) { if unknown.count < 100 { unknown.append(what) } }

  // MARK: - Control sequences

  private mutating func perform(_ sequence: ControlSequence) {
    if sequence.prefix != nil || !sequence.intermediates.isEmpty {
      performPrefixed(sequence)
      return
    }
    let count = sequence.count()
    let background = style.background
    switch Character(byte: sequence.final) {
    case "@":
      grid.insertCells(count, row: cursor.row, column: cursor.column, background: background)
    case "A": moveCursor(row: max(cursor.row - count, upperBorder), column: cursor.column)
    case "B", "e": moveCursor(row: min(cursor.row + count, lowerBorder), column: cursor.column)
    case "C", "a": moveCursor(row: cursor.row, column: cursor.column + count)
    case "D": moveCursor(row: cursor.row, column: cursor.column - count)
    case "E": moveCursor(row: min(cursor.row + count, lowerBorder), column: 0)
    case "F": moveCursor(row: max(cursor.row - count, upperBorder), column: 0)
    case "G", "`": moveCursor(row: cursor.row, column: count - 1)
    case "H", "f": moveCursor(row: originRow + count - 1, column: sequence.count(1) - 1)
    case "I": tab(count)
    case "J": eraseScreen(sequence.selector())
    case "K": eraseLine(sequence.selector())
    case "L" where region.contains(cursor.row):
      grid.scrollDown(cursor.row..<region.upperBound, by: count, background: background)
      moveCursor(row: cursor.row, column: 0)
    case "M" where region.contains(cursor.row):
      grid.scrollUp(cursor.row..<region.upperBound, by: count, background: background)
      moveCursor(row: cursor.row, column: 0)
    case "L", "M": break
    case "P":
      grid.deleteCells(count, row: cursor.row, column: cursor.column, background: background)
    case "S": grid.scrollUp(region, by: count, background: background)
    case "T": grid.scrollDown(region, by: count, background: background)
    case "X":
      grid.erase(
        cursor.row, cursor.column..<cursor.column + count, background: background)
      wrapPending = false
    case "Z": tab(-count)
    case "b": if let lastPrinted { for _ in 0..<count { print(lastPrinted) } }
    case "c": replies += Array("\u{1B}[?62;22c".utf8)
    case "d": moveCursor(row: originRow + count - 1, column: cursor.column)
    case "g": if sequence.selector() == 3 { tabStops = [] } else { tabStops.remove(cursor.column) }
    case "h": setStandardModes(sequence, on: true)
    case "l": setStandardModes(sequence, on: false)
    case "m": style.apply(sequence.parameters)
    case "n": report(sequence.selector())
    case "r": setRegion(sequence)
    case "s": saved = current
    case "t": break  // window operations: the size of this terminal is not the program's
    case "u": restore(saved)
    default: note("CSI \(sequence)")
    }
  }

  private mutating func performPrefixed(_ sequence: ControlSequence) {
    let prefix = sequence.prefix.map(Character.init(byte:))
    let intermediate = sequence.intermediates.first.map(Character.init(byte:))
    switch (prefix, intermediate, Character(byte: sequence.final)) {
    case ("?", nil, "h"): setPrivateModes(sequence, on: true)
    case ("?", nil, "l"): setPrivateModes(sequence, on: false)
    case ("?", "$", "p"):
      let mode = sequence.selector()
      replies += Array("\u{1B}[?\(mode);\(modes.contains(mode) ? 1 : 2)$y".utf8)
    case (nil, "!", "p"): softReset()
    case (nil, " ", "q"), (">", nil, _), ("<", nil, "u"), ("?", nil, "u"), ("=", nil, "u"): break
    case ("?", nil, "J"): eraseScreen(sequence.selector())
    case ("?", nil, "K"): eraseLine(sequence.selector())
    default: note("CSI \(sequence)")
    }
  }

  private var upperBorder: Int { cursor.row >= region.lowerBound ? region.lowerBound : 0 }
  private var lowerBorder: Int {
    cursor.row < region.upperBound ? region.upperBound - 1 : rows - 1
  }
  private var originRow: Int { modes.contains(6) ? region.lowerBound : 0 }

  private mutating func eraseLine(_ selector: Int) {
    let range =
      switch selector {
      case 1: 0..<cursor.column + 1
      case 2: 0..<columns
      default: cursor.column..<columns
      }
    grid.erase(cursor.row, range, background: style.background)
    wrapPending = false
  }

  private mutating func eraseScreen(_ selector: Int) {
    let whole =
      switch selector {
      case 0: cursor.row + 1..<rows
      case 1: 0..<cursor.row
      case 2: 0..<rows
      default: 0..<0
      }
    for row in whole { grid.erase(row, 0..<columns, background: style.background) }
    if selector < 2 { eraseLine(selector) }
  }

  private mutating func setRegion(_ sequence: ControlSequence) {
    let top = sequence.count() - 1
    let bottom = min(sequence.count(1, missing: rows), rows)
    guard top + 1 < bottom else { return }
    region = top..<bottom
    moveCursor(row: originRow, column: 0)
  }

  private mutating func setStandardModes(_ sequence: ControlSequence, on: Bool) {
    for mode in sequence.parameters.compactMap(\.self) {
      switch mode {
      case 4: insertMode = on
      case 20: newlineMode = on
      default: note("mode \(mode)")
      }
    }
  }

  private mutating func setPrivateModes(_ sequence: ControlSequence, on: Bool) {
    for mode in sequence.parameters.compactMap(\.self) {
      modeChanges.append(ModeChange(mode: mode, on: on))
      if on { modes.insert(mode) } else { modes.remove(mode) }
      switch mode {
      case 6: moveCursor(row: originRow, column: 0)
      case 47, 1047: setAlternate(on, savingCursor: false)
      case 1049: setAlternate(on, savingCursor: true)
      default: break
      }
    }
  }

  private mutating func setAlternate(_ on: Bool, savingCursor: Bool) {
    if on, mainGrid == nil {
      if savingCursor { savedByAlternate = current }
      mainGrid = grid
      grid = ScreenGrid(rows: rows, columns: columns)
    } else if !on, let main = mainGrid {
      grid = main
      mainGrid = nil
      if savingCursor { restore(savedByAlternate) }
    }
  }

  private mutating func softReset() {
    style = ScreenCell.Style()
    charsets = [UInt8(ascii: "B"), UInt8(ascii: "B")]
    (shift, insertMode, region) = (0, false, 0..<rows)
    modes.insert(25)
    modes.subtract([1, 6])
    keypadSendsApplicationCodes = false
  }

  private mutating func report(_ selector: Int) {
    switch selector {
    case 5: replies += Array("\u{1B}[0n".utf8)
    case 6: replies += Array("\u{1B}[\(cursor.row + 1);\(cursor.column + 1)R".utf8)
    default: note("DSR \(selector)")
    }
  }
}

extension Character {
  fileprivate init(byte: UInt8) { self.init(Unicode.Scalar(byte)) }
}
