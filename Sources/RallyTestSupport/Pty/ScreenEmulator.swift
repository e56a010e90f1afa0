import CPtyHolder

/// A terminal emulator as a value type: consumes bytes, and provides screen and modes.
///
/// Supports what ncurses and the programs tested here send to `xterm-256color`: cursor and
/// scrolling, insertion and deletion, SGR, character sets, the alternate screen, private modes,
/// titles. It answers common queries in `replies`, and records unknown sequences.
public struct ScreenEmulator: Sendable {
  public internal(set) var rows: Int
  public internal(set) var columns: Int
  /// The cursor position, from zero.
  public internal(set) var cursor = Position()
  /// Private modes that are set, such as 25 (cursor visible), 1049 (alternate screen), 1000, 1002,
  /// 1003, 1006 (mouse), 1004 (focus), 2004 (bracketed paste).
  public internal(set) var modes = ScreenEmulator.initialModes
  /// Every private mode that was set or reset, in order.
  public internal(set) var modeChanges: [ModeChange] = []
  public internal(set) var title = ""
  /// Saved titles (XTWINOPS 22 and 23).
  public internal(set) var titleStack: [String] = []
  /// The clipboard content set with `OSC 52`, base64-encoded.
  public internal(set) var clipboard: String?
  /// Bytes that the terminal sends to the program, such as cursor position reports.
  public internal(set) var replies: [UInt8] = []
  /// Sequences that are not supported.
  public internal(set) var unknown: [String] = []
  public internal(set) var bells = 0
  /// The style of the next character.
  public internal(set) var style = ScreenCell.Style()
  /// DECKPAM: the keypad sends application codes.
  public internal(set) var keypadSendsApplicationCodes = false

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

  /// The number of marks that the holder of a `PtySession` wrote, one for each end or stop of its
  /// job.
  var holderMarks = 0
  private static let holderMark = String(cString: rally_pty_mark())
  /// The length of a mark in bytes, with introducer and terminator.
  static let holderMarkLength = holderMark.utf8.count + 4

  static let initialModes: Set<Int> = [7, 25]

  /// The flags of kitty's keyboard protocol, for the main screen (false) and the alternate screen
  /// (true).
  public internal(set) var keyFlags: [Bool: [Int]] = [:]
  /// The width of emoji, for terminals that differ from most: 1 or 3.
  public var widthOfEmoji: Int?

  var parser = EscapeParser()
  var grid: ScreenGrid
  var mainGrid: ScreenGrid?
  var region: Range<Int>
  var saved = Saved()
  var savedByAlternate = Saved()
  var insertMode = false
  var newlineMode = false
  var charsets: [UInt8] = [UInt8(ascii: "B"), UInt8(ascii: "B")]
  var shift = 0
  var wrapPending = false
  var lastPrinted: Unicode.Scalar?
  var tabStops: Set<Int>

  struct Saved: Sendable {
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

  /// The visible rows, without trailing blanks.
  public var lines: [String] { (0..<rows).map(grid.line) }

  /// The visible rows, joined by line breaks.
  public var text: String { lines.joined(separator: "\n") }

  public func cell(row: Int, column: Int) -> ScreenCell { grid[row, column] }

  public func cells(row: Int) -> [ScreenCell] { grid.cells(in: row) }

  /// Whether any row contains this text.
  public func contains(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

  /// The first row that contains this text, from zero.
  public func row(of text: String) -> Int? { lines.firstIndex { $0.contains(text) } }

  public var isAlternate: Bool { mainGrid != nil }

  /// Everything that still differs from a terminal's initial state; empty if the program restored
  /// it all.
  public var leftovers: [String] {
    var left = modes.subtracting(Self.initialModes).sorted().map { "mode \($0) is on" }
    left += Self.initialModes.subtracting(modes).sorted().map { "mode \($0) is off" }
    if keypadSendsApplicationCodes { left.append("the keypad sends application codes") }
    if region != 0..<rows { left.append("rows \(region) scroll") }
    if style != ScreenCell.Style() { left.append("a style is on") }
    if shift != 0 || charsets[0] != UInt8(ascii: "B") { left.append("a character set is on") }
    if insertMode { left.append("insertion is on") }
    if !title.isEmpty { left.append("the title is \(title)") }
    if !titleStack.isEmpty { left.append("a title is on the stack") }
    if keyFlags.values.contains(where: { !$0.isEmpty }) { left.append("kitty's keys are on") }
    return left
  }

  // MARK: - Input

  public mutating func feed(_ bytes: some Sequence<UInt8>) {
    var actions: [EscapeParser.Action] = []
    parser.parse(bytes) { actions.append($0) }
    for action in actions { perform(action) }
  }

  public mutating func feed(_ text: String) { feed(text.utf8) }

  /// Resizes the screen, like a terminal without reflow.
  public mutating func resize(rows: Int, columns: Int) {
    grid.resize(rows: rows, columns: columns)
    mainGrid?.resize(rows: rows, columns: columns)
    self.rows = rows
    self.columns = columns
    region = 0..<rows
    moveCursor(row: cursor.row, column: cursor.column)
  }

  mutating func perform(_ action: EscapeParser.Action) {
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

  mutating func print(_ scalar: Unicode.Scalar) {
    let scalar = translated(scalar)
    let emojiWidth = scalar.value >= 0x1F000 ? widthOfEmoji : nil
    let width = emojiWidth ?? scalar.terminalWidth
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
      String(scalar), width: min(width, 2), style: style, row: cursor.row, column: cursor.column)
    for column in cursor.column + 2..<max(cursor.column + 2, cursor.column + width) {
      grid.put("~", width: 1, style: style, row: cursor.row, column: column)
    }
    lastPrinted = scalar
    if cursor.column + width >= columns {
      cursor.column = columns - 1
      wrapPending = true
    } else {
      cursor.column += width
    }
  }

  /// Maps characters through DEC's line drawing set if it is selected.
  private func translated(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    guard charsets[shift] == UInt8(ascii: "0") else { return scalar }
    let drawing = "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"
    guard (0x60...0x7E).contains(scalar.value) else { return scalar }
    let scalars = drawing.unicodeScalars
    return scalars[scalars.index(scalars.startIndex, offsetBy: Int(scalar.value) - 0x60)]
  }

  mutating func control(_ byte: UInt8) {
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

  mutating func lineFeed() {
    wrapPending = false
    if cursor.row == region.upperBound - 1 {
      grid.scrollUp(region, by: 1, background: style.background)
    } else if cursor.row < rows - 1 {
      cursor.row += 1
    }
  }

  mutating func reverseLineFeed() {
    wrapPending = false
    if cursor.row == region.lowerBound {
      grid.scrollDown(region, by: 1, background: style.background)
    } else if cursor.row > 0 {
      cursor.row -= 1
    }
  }

  mutating func tab(_ count: Int) {
    for _ in 0..<abs(count) {
      let next =
        count > 0
        ? tabStops.filter { $0 > cursor.column }.min() ?? columns - 1
        : tabStops.filter { $0 < cursor.column }.max() ?? 0
      moveCursor(row: cursor.row, column: next)
    }
  }

  mutating func moveCursor(row: Int, column: Int) {
    cursor.row = min(max(row, 0), rows - 1)
    cursor.column = min(max(column, 0), columns - 1)
    wrapPending = false
  }
}
