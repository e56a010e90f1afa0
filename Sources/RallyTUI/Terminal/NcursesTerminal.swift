import CNcurses
import CTerminalGuard
import Dispatch
import Foundation
import RallyDomain
import RallyWire

/// The person's terminal: drawn through ncurses, which sends only what differs; read as bytes.
///
/// `get_wch` is not used, since it would hold the main actor at every Esc. Whatever way the program
/// ends, the terminal is given back: by `close`, or by the guard when a signal ends it.
@MainActor public final class NcursesTerminal: TerminalDevice {
  public private(set) var size: Size
  public var onEvent: ((TerminalEvent) -> Void)?
  /// What is drawn with, after asking the terminal.
  public let colorMode: ColorMode

  private let screen: OpaquePointer
  private let inputDescriptor: Int32
  private let outputDescriptor: Int32
  private let streams: [UnsafeMutablePointer<FILE>]
  private let frameOutput: FrameOutput?
  private var theme: ResolvedTheme
  private let environment: [String: String]
  private let type: String
  private let modes: TerminalModes
  private let undo: String
  /// What was typed while the terminal was asked something.
  private var typedEarly: [UInt8] = []
  /// Whether marks become ASCII, since the terminal's font has none.
  private let hasFewSigns: Bool
  /// Whether everything becomes ASCII, since the locale is not UTF-8.
  private let isASCII: Bool
  private var reader: (any DispatchSourceRead)?
  private var decoder: KeyDecoder
  private let flush = MainTimer()
  private var pairs: [UInt64: Int32] = [:]
  private var isSuspended = false
  /// Whether another program has the terminal.
  private var isLent = false
  private var isClosed = false
  private var isMouseOn = false
  private var isCursorVisible: Bool?
  /// Whether the cursor is placed as by most terminals, which `DoubtfulCells` does itself.
  private let canPlace: Bool
  private var hasDoubtful = false
  /// Whether the terminal was told to use keys of kitty's protocol.
  private var hasTakenKeys = false
  private var isKnownGone = false
  /// The title that the program gave its window; nil while it shows the former one.
  private var title: String?

  /// Takes over a terminal.
  ///
  /// - Parameters:
  ///   - type: The kind of terminal; nil asks `TERM`.
  ///   - colorMode: What is wanted; a terminal without colours gets `.mono`.
  ///   - theme: What the roles look like.
  ///   - environment: Asked for `TERM`, for whether this is an SSH connection, and for the colour of
  ///     the background where the terminal does not say it.
  public init(
    type: String? = nil, inputDescriptor: Int32 = 0, outputDescriptor: Int32 = 1,
    colorMode: ColorMode = .direct, theme: ThemeSetting = .terminal,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(TerminalError) {
    guard isatty(inputDescriptor) == 1, isatty(outputDescriptor) == 1 else {
      throw .notATerminal
    }
    let type = type ?? environment["TERM"] ?? ""
    try Self.require(type: type, outputDescriptor)
    Self.chooseLocale()
    self.type = type
    modes = TerminalModes(
      hasTitle: !TerminalSigns.areFew(onType: type),
      hasKeys: TerminalSigns.hasKeys(onType: type, environment: environment))
    let undo = modes.undo { Self.capability($0) }
    self.undo = undo
    TerminalSignals.shared.listen()
    _ = undo.withCString { ctg_arm(outputDescriptor, $0, undo.utf8.count) }
    // TERM and HUP leave time to save: `TerminalSignals` has them.
    for number in [SIGINT, SIGQUIT] { ctg_guard_signal(number) }
    use_env(true)
    use_tioctl(true)
    guard let output = Self.stream(outputDescriptor, "w"),
      let input = Self.stream(inputDescriptor, "r"),
      let screen = newterm(type, output, input)
    else {
      ctg_restore()
      ctg_disarm()
      throw .unknownType(type)
    }
    ctg_keep_errors()
    self.screen = screen
    self.inputDescriptor = inputDescriptor
    self.outputDescriptor = outputDescriptor
    streams = [input, output]
    frameOutput = FrameOutput(descriptor: fileno(output))
    self.colorMode = Self.startColors(wanted: colorMode)
    self.environment = environment
    self.theme = ResolvedTheme(.terminal, mode: self.colorMode)
    hasFewSigns = TerminalSigns.areFew(onType: type)
    isASCII = !TerminalSigns.isUnicode(environment)
    canPlace = !hasFewSigns && !isASCII && Self.capability("cup") == "\u{1b}[%i%p1%d;%p2%dH"
    decoder = KeyDecoder(
      escapeDelay: environment["SSH_CONNECTION"] == nil ? .milliseconds(25) : .milliseconds(50),
      terminfo: Self.keySequences())
    size = Size(width: Int(cn_cols()), height: Int(cn_lines()))
    raw()
    noecho()
    nonl()
    typeahead(-1)  // a frame is never left half drawn because a key was pressed
    keypad(cn_stdscr(), true)
    intrflush(cn_stdscr(), false)
    idlok(cn_stdscr(), true)
    setCursorVisible(false)
    setTheme(theme)
  }

  // MARK: Opening

  /// - Throws: When there can be no interface on a terminal of this type.
  public static func require(type: String, _ descriptor: Int32 = 1) throws(TerminalError) {
    guard !type.isEmpty else { throw .unknownType("") }
    var code: Int32 = 0
    guard setupterm(type, descriptor, &code) == OK else { throw .unknownType(type) }
    guard capability("cup") != nil, capability("clear") != nil else { throw .incapable(type) }
  }

  /// Reads the owner's locale; where that has no UTF-8, one that has, since the signs are needed
  /// and terminals know them even where nobody set a language.
  private static func chooseLocale() {
    for name in ["", "C.UTF-8", "en_US.UTF-8"] {
      setlocale(LC_CTYPE, name)
      if cn_wcwidth(0x6F22) == 2 { return }
    }
  }

  /// How many colours the system's descriptions give a type of terminal; nil for an unknown one.
  public nonisolated static func colors(ofType type: String) -> Int? {
    var code: Int32 = 0
    guard !type.isEmpty, setupterm(type, 1, &code) == OK else { return nil }
    return max(0, Int(tigetnum("colors")))
  }

  private static func capability(_ name: String) -> String? {
    guard let text = tigetstr(name), Int(bitPattern: text) != -1 else { return nil }
    return withoutDelays(String(cString: text))
  }

  /// A delay (`$<5>`, `$<2*/>`) is for hardware that is no more.
  static func withoutDelays(_ capability: String) -> String {
    var kept = ""
    var rest = Substring(capability)
    while let start = rest.firstRange(of: "$<"),
      let end = rest[start.upperBound...].firstIndex(of: ">")
    {
      let inside = rest[start.upperBound..<end]
      let isDelay = !inside.isEmpty && inside.allSatisfy { "0123456789.*/".contains($0) }
      kept += isDelay ? rest[..<start.lowerBound] : rest[...end]
      rest = rest[rest.index(after: end)...]
    }
    return kept + rest
  }

  /// The program's children must not keep the terminal open.
  private static func stream(_ descriptor: Int32, _ mode: String) -> UnsafeMutablePointer<FILE>? {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return nil }
    return fdopen(copy, mode)
  }

  private static func startColors(wanted: ColorMode) -> ColorMode {
    guard wanted != .mono, has_colors(), start_color() == OK else { return .mono }
    use_default_colors()
    return wanted.limited(to: Int(cn_colors()))
  }

  private static func keySequences() -> [(bytes: [UInt8], chord: KeyChord)] {
    var names: [(String, KeyChord)] = [
      ("kcuu1", KeyChord(.up)), ("kcud1", KeyChord(.down)), ("kcub1", KeyChord(.left)),
      ("kcuf1", KeyChord(.right)), ("khome", KeyChord(.home)), ("kend", KeyChord(.end)),
      ("kpp", KeyChord(.pageUp)), ("knp", KeyChord(.pageDown)), ("kich1", KeyChord(.insert)),
      ("kdch1", KeyChord(.delete)), ("kcbt", KeyChord(.tab, .shift)), ("kent", KeyChord(.enter)),
      ("kLFT", KeyChord(.left, .shift)), ("kRIT", KeyChord(.right, .shift)),
      ("kri", KeyChord(.up, .shift)), ("kind", KeyChord(.down, .shift)),
    ]
    names += (1...12).map { ("kf\($0)", KeyChord(.function($0))) }
    return names.compactMap { name, chord in capability(name).map { (Array($0.utf8), chord) } }
  }

  // MARK: Events

  public func start() {
    write(modes.enter)
    let reader = DispatchSource.makeReadSource(fileDescriptor: inputDescriptor, queue: .main)
    reader.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.bytesCame() } }
    reader.resume()
    self.reader = reader
    TerminalSignals.shared.terminal = self
    // The window may have changed while the first frame was made.
    if adoptSize() { onEvent?(.resized(size)) }
    reportTypedEarly()
  }

  private func reportTypedEarly() {
    guard !typedEarly.isEmpty else { return }
    let bytes = typedEarly
    typedEarly = []
    report(decoder.feed(bytes, at: .now))
    awaitRest()
  }

  /// What a key starts with `Task.immediate` runs at once only inside of a job of the main actor, which
  /// a handler of dispatch is not: without it the keys of one burst would not see each other's effects.
  private func bytesCame() {
    guard let reader else { return }
    reader.suspend()
    Task {
      readBytes()
      reader.resume()
    }
  }

  private func readBytes() {
    // It was closed meanwhile.
    guard reader != nil, hasInput else { return }
    ctg_use_stack()
    var count = 0
    var problem: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, initialized in
      count = read(inputDescriptor, buffer.baseAddress, buffer.count)
      problem = errno
      initialized = max(0, count)
    }
    if bytes.isEmpty {
      if count < 0, problem == EINTR || problem == EAGAIN { return }
      return isGone()
    }
    report(decoder.feed(bytes, at: .now))
    awaitRest()
  }

  /// The terminal takes and gives nothing any more: told once, and nobody asks it again.
  private func isGone() {
    guard !isKnownGone, !isClosed else { return }
    isKnownGone = true
    flush.cancel()
    reader?.cancel()
    reader = nil
    onEvent?(.hangup)
  }

  /// What made the source tell of input may have gone to another program meanwhile; a read would
  /// wait for more of it.
  private var hasInput: Bool {
    var waiting = pollfd(fd: inputDescriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, 0) != 0
  }

  private func report(_ events: [InputEvent]) {
    if !events.isEmpty { onEvent?(.input(events)) }
  }

  /// Decides about an Esc when nothing followed it in time.
  private func awaitRest() {
    flush.cancel()
    guard let deadline = decoder.deadline else { return }
    flush.schedule(after: max(.zero, deadline - .now) + .milliseconds(1)) { [weak self] in
      guard let self else { return }
      report(decoder.flush(at: .now))
      awaitRest()
    }
  }

  func windowChanged() {
    guard !isSuspended else { return }
    _ = adoptSize()
    // What was on its way for the size before has met a window of another one.
    clearok(cn_curscr(), true)
    onEvent?(.resized(size))
  }

  /// Asks the terminal for its size and tells ncurses; true when it is another one.
  private func adoptSize() -> Bool {
    var rows: Int32 = 0
    var columns: Int32 = 0
    guard cn_winsize(outputDescriptor, &rows, &columns) == 0, rows > 0, columns > 0 else {
      return false
    }
    // `resizeterm` would also queue a key of its own.
    if is_term_resized(rows, columns) { resize_term(rows, columns) }
    let found = Size(width: Int(columns), height: Int(rows))
    guard found != size else { return false }
    size = found
    return true
  }

  // MARK: Drawing

  public func draw(_ buffer: CellBuffer, since previous: CellBuffer?, cursor: Cursor?) {
    guard !isSuspended, !isClosed else { return }
    ctg_use_stack()
    let isSent: Bool
    if let frameOutput {
      isSent = frameOutput.gather { send(buffer, since: previous, cursor: cursor) }
    } else {
      isSent = writeAll(
        Array(send(buffer, since: previous, cursor: cursor).utf8), to: outputDescriptor)
    }
    if !isSent { return isGone() }
    takeKeys()
  }

  /// Lets ncurses write what differs; gives what has to be written after it.
  private func send(_ buffer: CellBuffer, since previous: CellBuffer?, cursor: Cursor?) -> String {
    let window = cn_stdscr()
    if previous == nil { werase(window) }
    var doubtful: [(row: Int, first: Int)] = []
    for y in 0..<min(buffer.size.height, Int(cn_lines())) {
      guard let columns = buffer.changedColumns(ofRow: y, since: previous) else { continue }
      for x in columns where x < Int(cn_cols()) {
        let cell = buffer[x, y]
        if cell.width > 0, cell.width > 1 || previous?[x, y] != cell { put(cell, x: x, y: y) }
      }
      if canPlace, let first = DoubtfulCells.first(in: buffer, row: y) {
        doubtful.append((y, first))
      }
    }
    if let cursor { wmove(window, Int32(cursor.position.y), Int32(cursor.position.x)) }
    setCursorVisible(cursor?.isVisible ?? false)
    // Rows that look alike to ncurses may not be: none is moved.
    hasDoubtful = hasDoubtful && previous != nil || !doubtful.isEmpty
    idlok(window, !hasDoubtful)
    wnoutrefresh(window)
    doupdate()
    return finished(doubtful, of: buffer)
  }

  private func finished(_ rows: [(row: Int, first: Int)], of buffer: CellBuffer) -> String {
    guard !rows.isEmpty else { return "" }
    var sent = ""
    for (row, first) in rows {
      sent += DoubtfulCells.row(row, of: buffer, from: first) {
        theme.appearance(of: $0.style).sequence(in: colorMode)
      } text: {
        shownText(of: $0)
      }
    }
    let (x, y) = (Int(getcurx(cn_curscr())), Int(getcury(cn_curscr())))
    return sent + Appearance().sequence + DoubtfulCells.place(max(0, x), max(0, y))
  }

  /// The text of a cell, or what stands for it on this terminal.
  private func shownText(of cell: Cell) -> String {
    let text = cell.glyph.text
    guard let scalar = text.unicodeScalars.first, !isShown(scalar, in: Int(cell.width)) else {
      return text
    }
    return AsciiGlyphs.substitute(for: text, width: Int(cell.width))
  }

  private func put(_ cell: Cell, x: Int, y: Int) {
    let look = theme.appearance(of: cell.style)
    let pair = pair(look)
    let attributes = attributes(look.attributes)
    func put(_ text: UnsafePointer<wchar_t>?, at x: Int) {
      _ = cn_put_cell(cn_stdscr(), Int32(y), Int32(x), text, attributes, pair)
    }
    if canPlace, DoubtfulCells.isDoubtful(cell) {
      let text = (wchar_t(bitPattern: DoubtfulCells.placeholder.value), wchar_t(0))
      withUnsafeBytes(of: text) {
        for offset in 0..<Int(cell.width) {
          put($0.assumingMemoryBound(to: wchar_t.self).baseAddress, at: x + offset)
        }
      }
      return
    }
    if let scalar = cell.glyph.scalar, isShown(scalar, in: Int(cell.width)) {
      // Nearly every cell: nothing is allocated.
      let text = (wchar_t(bitPattern: scalar.value), wchar_t(0))
      withUnsafeBytes(of: text) { put($0.assumingMemoryBound(to: wchar_t.self).baseAddress, at: x) }
      return
    }
    for (offset, piece) in pieces(shownText(of: cell), width: Int(cell.width)) {
      piece.withUnsafeBufferPointer { put($0.baseAddress, at: x + offset) }
    }
  }

  /// Whether the terminal has the sign, and the system's library gives it the room that we gave it.
  private func isShown(_ scalar: Unicode.Scalar, in width: Int) -> Bool {
    if scalar.value < 0x7F { return true }
    if isASCII { return false }
    if hasFewSigns, AsciiGlyphs.replaces(scalar) { return false }
    // Our own signs keep to one cell also where the terminal would give them two.
    if isAmbiguousWide, width == 1, CellWidth.isAmbiguous(scalar) { return false }
    return cn_wcwidth(wchar_t(bitPattern: scalar.value)) == Int32(width)
  }

  /// The text of a cell as ncurses takes it; a substitute of two letters fills two cells.
  private func pieces(_ text: String, width: Int) -> [(offset: Int, text: [wchar_t])] {
    let scalars = text.unicodeScalars.map { wchar_t(bitPattern: $0.value) }
    guard width == 2, scalars.count == 2, text.utf8.count == 2 else {
      return [(0, scalars + [0])]
    }
    return [(0, [scalars[0], 0]), (1, [scalars[1], 0])]
  }

  private var isAmbiguousWide: Bool { TextWidths.current.ambiguous == .wide }

  private func pair(_ look: Appearance) -> Int32 {
    guard colorMode != .mono, look.foreground >= 0 || look.background >= 0 else { return 0 }
    let key =
      UInt64(UInt32(bitPattern: look.foreground)) << 32
      | UInt64(UInt32(bitPattern: look.background))
    if let pair = pairs[key] { return pair }
    let pair = Int32(pairs.count + 1)
    guard pair < cn_color_pairs(),
      init_extended_pair(pair, look.foreground, look.background) == OK
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

  private func setCursorVisible(_ isVisible: Bool) {
    guard isVisible != isCursorVisible else { return }
    isCursorVisible = isVisible
    curs_set(isVisible ? 1 : 0)
  }

  public func repaint() { clearok(cn_curscr(), true) }

  public func setTheme(_ name: ThemeSetting) {
    var isLight: Bool?
    if name == .auto, colorMode != .mono {
      let answer = BackgroundQuery.ask(
        input: inputDescriptor, output: outputDescriptor, environment: environment)
      isLight = answer.isLight
      typedEarly += answer.typed
    }
    theme = ResolvedTheme(name.theme(isBackgroundLight: isLight), mode: colorMode)
    if reader != nil { reportTypedEarly() }
  }

  public func bell() {
    guard !isSuspended, !isClosed else { return }
    write("\u{07}")
  }

  /// Between two frames: what ncurses has to say is sent when a frame is.
  public func copy(_ text: String) throws(ClipboardProblem) {
    try ClipboardProblem.check(text)
    // A console shows the letters of a sequence that it does not know.
    guard !hasFewSigns else { throw .noClipboard }
    guard !isSuspended, !isClosed else { return }
    let bytes = ClipboardSequence.bytes(copying: text, wrapping: .init(environment))
    if !writeAll(bytes, to: outputDescriptor) { isGone() }
  }

  public func announce(_ announcement: Announcement, by way: NotificationWay) {
    guard !isSuspended, !isClosed else { return }
    write(NotificationRoute(way, type: type, environment: environment).bytes(for: announcement))
  }

  public func setMouse(_ isOn: Bool) {
    guard isOn != isMouseOn, !isClosed else { return }
    isMouseOn = isOn
    if !isSuspended { write(isOn ? TerminalModes.mouseOn : TerminalModes.mouseOff) }
  }

  public func setTitle(_ title: String?) {
    let title = title.map {
      isASCII ? AsciiGlyphs.text($0.cleanedForDisplay) : $0.cleanedForDisplay
    }
    guard modes.hasTitle, title != self.title, !isClosed else { return }
    self.title = title
    if !isSuspended { write(TerminalModes.title(title)) }
  }

  private func write(_ text: String) {
    if !writeAll(Array(text.utf8), to: outputDescriptor) { isGone() }
  }

  // MARK: Kitty's keys

  /// Only within the alternate screen, which has its own stack of them: on from the first frame, off
  /// before ncurses leaves.
  private func takeKeys() {
    guard modes.hasKeys, !hasTakenKeys else { return }
    hasTakenKeys = true
    let whole = TerminalModes.keysOff + undo
    whole.withCString { ctg_set_undo($0, whole.utf8.count) }
    write(TerminalModes.keysOn)
  }

  private func giveKeysBack() {
    guard hasTakenKeys else { return }
    hasTakenKeys = false
    write(TerminalModes.keysOff)
    undo.withCString { ctg_set_undo($0, undo.utf8.count) }
  }

  // MARK: Stopping and ending

  public func lend(to executable: String, _ arguments: [String]) async -> String? {
    guard !isSuspended, !isClosed else { return "has no terminal" }
    isLent = true
    isSuspended = true
    reader?.suspend()
    endwin()
    ctg_restore()
    // ^C and ^\\ are the other program's; the handlers would end this one.
    let former = [SIGINT, SIGQUIT].map { ($0, TerminalSignals.ignore($0)) }
    let failure = await ForegroundProgram.run(
      executable, arguments, terminal: inputDescriptor)
    for (number, action) in former { TerminalSignals.restore(number, action) }
    isLent = false
    reader?.resume()
    // What the other program did with the modes is undone with the first frame.
    tcflush(inputDescriptor, TCIFLUSH)
    continued()
    return failure
  }

  public func suspend() {
    // While another program has the terminal, whoever waits for it stops both.
    guard !isSuspended, !isClosed else { return }
    // In an orphaned process group nobody would ever continue it.
    guard getsid(getppid()) == getsid(0) else { return bell() }
    isSuspended = true
    guard let onEvent else { return stopProcess() }
    onEvent(.suspended)
  }

  public func stopProcess() {
    // It was continued, or ended, while its state was saved.
    guard isSuspended, !isLent, !isClosed else { return }
    giveKeysBack()
    endwin()
    ctg_restore()
    // The whole job: under make or a script the shell waits for the one that it started itself.
    kill(0, SIGSTOP)
  }

  /// After `fg`, and after any stop from outside: everything is set and sent again.
  func continued() {
    guard !isClosed, !isLent else { return }
    ctg_rearm()
    isSuspended = false
    reset_prog_mode()
    write(modes.enter)
    if isMouseOn { write(TerminalModes.mouseOn) }
    if let title { write(TerminalModes.title(title)) }
    isCursorVisible = nil
    clearok(cn_curscr(), true)
    _ = adoptSize()
    onEvent?(.resumed)
  }

  public func close() {
    guard !isClosed else { return }
    isClosed = true
    flush.cancel()
    reader?.cancel()
    reader = nil
    if !isSuspended {
      giveKeysBack()
      endwin()
    }
    ctg_restore()
    ctg_disarm()
    if TerminalSignals.shared.terminal === self { TerminalSignals.shared.terminal = nil }
    delscreen(screen)
    frameOutput?.close()
    for stream in streams { fclose(stream) }
  }
}
