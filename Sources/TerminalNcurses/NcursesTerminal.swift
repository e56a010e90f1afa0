import CNcurses
import CTerminalGuard
import Dispatch
import FoundationEssentials
import Glibc
import RallyText
import TerminalKit

/// The terminal of this process: output through ncurses, which sends only differences; input as raw
/// bytes.
///
/// `get_wch` is not used, since it would block the main actor at every Esc. However the program
/// ends, the terminal is restored: by `close`, or by CTerminalGuard's handler of a fatal signal.
@MainActor public final class NcursesTerminal: TerminalDevice {
  public private(set) var size: Size
  public var onEvent: ((TerminalEvent) -> Void)?
  /// The colour mode in use, after limiting it to the terminal's capabilities.
  public var colorMode: ColorMode { painter.colorMode }

  private let screen: OpaquePointer
  private let inputDescriptor: Int32
  private let outputDescriptor: Int32
  private let streams: [UnsafeMutablePointer<FILE>]
  private let frameOutput: BufferedFrameWriter?
  private let painter: CellPainter
  private let environment: [String: String]
  private let type: String
  private var modes: TerminalModes
  /// Whether the modes of `modes` are set; false while somebody else has the terminal.
  private var isTaken = false
  /// Whether the next frame sets the modes once more.
  private var areModesDue = false
  /// When the terminal was asked what it has not answered yet.
  private var openQuestion: ContinuousClock.Instant?
  /// Called when the terminal's background is another one than was known.
  public var onBackground: ((_ isLight: Bool) -> Void)?
  /// Whether the background is light; nil while it is unknown.
  private var isBackgroundLight: Bool?
  private var themeChoice: ThemeChoice
  private var reader: MainReader?
  private var decoder: KeyDecoder
  private let flush = MainTimer()
  private var isSuspended = false
  /// Whether the terminal is handed to another program.
  private var isLent = false
  private var isClosed = false
  private var hasReportedHangup = false

  /// Takes over a terminal and initialises ncurses.
  ///
  /// - Parameters:
  ///   - type: The terminal type; nil uses `TERM`.
  ///   - colorMode: The requested mode; limited to what the terminal supports.
  ///   - theme: The appearance of the roles.
  ///   - isBackgroundLight: What the terminal last said of its background, which counts until it
  ///     answers anew.
  ///   - environment: Reads `TERM`, `SSH_CONNECTION`, `COLORTERM`, and `COLORFGBG` where the
  ///     background is not known.
  /// - Throws: `TerminalError` when a descriptor is not a terminal, or its type is unknown or
  ///   cannot position the cursor.
  public init(
    type: String? = nil, inputDescriptor: Int32 = 0, outputDescriptor: Int32 = 1,
    colorMode: ColorMode = .direct, theme: ThemeChoice = .fixed(Theme()),
    isBackgroundLight: Bool? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(TerminalError) {
    guard isatty(inputDescriptor) == 1, isatty(outputDescriptor) == 1 else { throw .notATerminal }
    let type = type ?? environment["TERM"] ?? ""
    try Self.require(type: type, outputDescriptor)
    let described = Self.describedType(of: type, environment: environment)
    Self.chooseLocale()
    self.type = type
    themeChoice = theme
    self.isBackgroundLight =
      isBackgroundLight ?? TerminalAnswer.isLight(colors: environment["COLORFGBG"])
    modes = TerminalModes(hasTitle: !TerminalCapabilities.isLimited(type: type)) {
      Self.capability($0)
    }
    Self.guardTerminal(outputDescriptor)
    rally_guard_enter()
    defer { rally_guard_leave() }
    let opened = try Self.openScreen(
      type, describedAs: described, input: inputDescriptor, output: outputDescriptor)
    screen = opened.screen
    self.inputDescriptor = inputDescriptor
    self.outputDescriptor = outputDescriptor
    streams = [opened.input, opened.output]
    let frameOutput = BufferedFrameWriter(descriptor: fileno(opened.output))
    self.frameOutput = frameOutput
    self.environment = environment
    let hasDirect =
      frameOutput != nil && Self.hasDirectColors(ofType: type, environment: environment)
    painter = Self.painter(
      Self.startColors(wanted: colorMode, hasDirect: hasDirect), type, environment)
    decoder = Self.decoder(environment)
    size = Size(width: Int(rally_curses_cols()), height: Int(rally_curses_lines()))
    Self.setInputModes()
    // What ncurses has to say at the start `take` says.
    Self.discardOutput(of: fileno(opened.output), to: outputDescriptor) {
      keypad(rally_curses_stdscr(), true)
      painter.setCursorVisible(false)
    }
    _ = adoptSize()
    take()
    setTheme(theme)
  }

  // MARK: Events

  public func start() {
    reader = MainReader(inputDescriptor) { [weak self] in self?.bytesCame() }
    TerminalSignals.shared.terminal = self
    // The window may have been resized while the first frame was drawn.
    if adoptSize() { onEvent?(.resized(size)) }
    query()
  }

  /// Asks what the terminal can and how it looks; nothing waits for the answers.
  private func query() {
    // A console would print some of the questions.
    guard !painter.hasFewSigns else { return }
    openQuestion = .now
    write(TerminalQuestions.all)
  }

  /// Reads in a main-actor job: `Task.immediate` starts at once only inside of one, and a
  /// reader's call is none. Otherwise the keys of one read would not see each other's effects.
  private func bytesCame() {
    guard let reader else { return }
    reader.suspend()
    Task {
      readBytes()
      reader.resume()
    }
  }

  func readBytes() {
    // Meanwhile it may have been closed, or lent to a program that reads for itself.
    guard reader != nil, !isLent, hasInput else { return }
    rally_guard_use_stack()
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
    take(bytes)
  }

  private func take(_ bytes: [UInt8]) {
    let events = decoder.feed(bytes, at: .now)
    for answer in decoder.takeAnswers() { take(answer) }
    report(events)
    awaitRest()
  }

  /// What the terminal says of itself counts from now on.
  private func take(_ answer: TerminalAnswer) {
    switch answer {
    case .background(let isLight), .scheme(let isLight): adopt(isBackgroundLight: isLight)
    case .keyboardFlags:
      guard !modes.hasKeys else { return }
      modes.hasKeys = true
      if isTaken { write(modes.keysOn) }
    case .mode(TerminalQuestions.synchronizedMode, isKnown: true):
      frameOutput?.isSynchronized = true
    case .mode(TerminalQuestions.schemeMode, isKnown: true):
      guard !modes.hasScheme else { return }
      modes.hasScheme = true
      if isTaken { write(TerminalModes.schemeOn) }
    case .mode: break
    case .attributes: openQuestion = nil
    }
    setUndo()
  }

  private func adopt(isBackgroundLight isLight: Bool) {
    guard isLight != isBackgroundLight else { return }
    isBackgroundLight = isLight
    onBackground?(isLight)
    guard themeChoice.asksForBackground else { return }
    setTheme(themeChoice)
    onEvent?(.appearanceChanged)
  }

  /// Reports once that the terminal is gone, and stops reading.
  private func isGone() {
    guard !hasReportedHangup, !isClosed else { return }
    hasReportedHangup = true
    flush.cancel()
    stopReading()
    onEvent?(.hangup)
  }

  private func stopReading() {
    reader?.cancel()
    reader = nil
  }

  /// Whether input is available. Another program may have read it since the event; a read would
  /// then block.
  private var hasInput: Bool {
    var waiting = pollfd(fd: inputDescriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, 0) != 0
  }

  private func report(_ events: [InputEvent]) {
    if !events.isEmpty { onEvent?(.input(events)) }
  }

  /// Schedules a flush of pending input, such as a single Esc, at the decoder's deadline.
  private func awaitRest() {
    flush.cancel()
    guard let deadline = decoder.deadline else { return }
    flush.schedule(after: max(.zero, deadline - .now) + .milliseconds(1)) { [weak self] in
      guard let self else { return }
      report(decoder.flush(at: .now))
      awaitRest()
    }
  }

  func windowChanged(isCertain: Bool = true) {
    guard !isSuspended, adoptSize() || isCertain else { return }
    // Output sent for the previous size may have been misplaced, or it is another terminal: redraw
    // everything.
    repaint()
    onEvent?(.resized(size))
  }

  /// Updates ncurses to the terminal's current size; returns whether it changed.
  private func adoptSize() -> Bool {
    guard let found = Size(ofTerminal: outputDescriptor) else { return false }
    let (rows, columns) = (Int32(found.height), Int32(found.width))
    painter.scrollsRows = Self.isDrawnWhole(outputDescriptor)
    // `resizeterm` would also queue a KEY_RESIZE.
    if is_term_resized(rows, columns) { resize_term(rows, columns) }
    if modes.rows != found.height {
      modes.rows = found.height
      if isTaken { setUndo() }
    }
    guard found != size else { return false }
    size = found
    return true
  }

  static func isDrawnWhole(_ descriptor: Int32) -> Bool {
    Size(ofWindow: descriptor) == Size(ofTerminal: descriptor)
  }

  // MARK: Drawing

  public func draw(_ buffer: CellBuffer, since previous: CellBuffer?, cursor: Cursor?) {
    guard !isSuspended, !isClosed else { return }
    rally_guard_use_stack()
    rally_guard_enter()
    defer { rally_guard_leave() }
    var first = ""
    if areModesDue {
      areModesDue = false
      first = modes.again
      painter.forgetCursor()
    }
    let isSent: Bool
    if let frameOutput {
      isSent = frameOutput.gather(after: first, numbers: painter.numbers) {
        painter.send(buffer, since: previous, cursor: cursor)
      }
    } else {
      write(first)
      isSent = writeAll(
        Array(painter.send(buffer, since: previous, cursor: cursor).utf8), to: outputDescriptor)
    }
    if !isSent { isGone() }
  }

  public var paintsAreas: Bool { painter.theme.paintsAreas }
  public var hasLights: Bool { painter.theme.hasLights }

  public func repaint() {
    areModesDue = isTaken
    clearok(rally_curses_curscr(), true)
  }

  public func setTheme(_ choice: ThemeChoice) {
    themeChoice = choice
    painter.theme = ResolvedTheme(
      choice.theme(isBackgroundLight: isBackgroundLight), mode: colorMode)
  }

  public func bell() {
    guard !isSuspended, !isClosed else { return }
    write("\u{07}")
  }

  /// Written directly, between frames: ncurses' output is only sent with a frame.
  ///
  /// - Throws: `ClipboardError`.
  public func copy(_ text: String) throws(ClipboardError) {
    try ClipboardError.check(text)
    // A console would print the sequence as text.
    guard !painter.hasFewSigns else { throw .noClipboard }
    guard !isSuspended, !isClosed else { return }
    let bytes = ClipboardSequence.bytes(copying: text, wrapping: .init(environment))
    if !writeAll(bytes, to: outputDescriptor) { isGone() }
  }

  public func send(_ sequence: (TerminalIdentity) -> String) {
    guard !isSuspended, !isClosed else { return }
    write(sequence(TerminalIdentity(type: type, environment: environment)))
  }

  public func reportKeyPlaces() -> Bool {
    guard modes.hasKeys, !isClosed else { return false }
    modes.hasKeyPlaces = true
    if !isSuspended { write(modes.keysAgain) }
    return true
  }

  public func setMouse(_ isOn: Bool) {
    guard isOn != modes.isMouseOn, !isClosed else { return }
    modes.isMouseOn = isOn
    if !isSuspended { write(isOn ? TerminalModes.mouseOn : TerminalModes.mouseOff) }
  }

  public func setTitle(_ title: String?) {
    let title = title.map {
      painter.isASCII ? AsciiGlyphs.text($0.cleanedForDisplay) : $0.cleanedForDisplay
    }
    guard modes.hasTitle, title != modes.title, !isClosed else { return }
    modes.title = title
    if !isSuspended { write(TerminalModes.title(title)) }
  }

  private func write(_ text: String) {
    if !writeAll(Array(text.utf8), to: outputDescriptor) { isGone() }
  }

  // MARK: Taking and giving

  /// Takes the terminal: at the start, and when the shell or another program gives it back.
  private func take() {
    rally_guard_enter()
    defer { rally_guard_leave() }
    setUndo()
    rally_guard_rearm()
    reset_prog_mode()
    write(modes.take)
    isTaken = true
    areModesDue = false
    painter.forgetCursor()
    clearok(rally_curses_curscr(), true)
  }

  /// Gives the terminal away, as it was found. A signal that ends the process does the same.
  private func give() {
    guard isTaken else { return }
    awaitAnswer()
    rally_guard_enter()
    defer { rally_guard_leave() }
    rally_guard_restore()
    isTaken = false
  }

  private func setUndo() {
    let undo = modes.give
    undo.withCString { rally_guard_set_undo($0, undo.utf8.count) }
  }

  /// Waits for what the terminal still has to answer, as far as it is likely to: whoever has the
  /// terminal next would be typed it.
  private func awaitAnswer() {
    guard let asked = openQuestion, !hasReportedHangup else { return }
    openQuestion = nil
    TerminalQuestions.drop(
      from: inputDescriptor,
      until: min(asked + TerminalQuestions.lateLimit, .now + TerminalQuestions.patience))
  }

  /// Runs `call` without writing what ncurses has to say.
  private static func discardOutput(of descriptor: Int32, to terminal: Int32, _ call: () -> Void) {
    let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard nothing >= 0 else { return call() }
    _ = rally_guard_lead(descriptor, nothing)
    call()
    _ = rally_guard_lead(descriptor, terminal)
    Glibc.close(nothing)
  }

  // MARK: Stopping and ending

  public func lend<Result: Sendable>(
    _ run: @MainActor (_ descriptor: Int32) async -> Result
  ) async -> Result? {
    guard !isSuspended, !isClosed else { return nil }
    isLent = true
    isSuspended = true
    reader?.suspend()
    give()
    // ^C and ^\\ are for the other program; our handlers would end this one.
    let former = [SIGINT, SIGQUIT].map { ($0, TerminalSignals.ignore($0)) }
    let result = await run(inputDescriptor)
    for (number, action) in former { TerminalSignals.restore(number, action) }
    isLent = false
    reader?.resume()
    // Terminal modes changed by the other program are reset with the first frame.
    tcflush(inputDescriptor, TCIFLUSH)
    continued()
    return result
  }

  public func suspend() {
    // While another program has the terminal, the process that waits for it stops both.
    guard !isSuspended, !isClosed else { return }
    guard !ProcessGroup.isOrphaned() else { return bell() }
    isSuspended = true
    guard let onEvent else { return stopProcess() }
    onEvent(.suspended)
  }

  public func stopProcess() {
    // It was continued, or ended, while its state was saved.
    guard isSuspended, !isLent, !isClosed else { return }
    give()
    // The shell may have ended meanwhile.
    if !ProcessGroup.stop() { continued() }
  }

  /// Called on SIGCONT: sets all modes again and redraws.
  func continued() {
    guard !isClosed, !isLent else { return }
    isSuspended = false
    if isTaken {
      // It was stopped from outside, and the shell has had the terminal as it was.
      reset_prog_mode()
      repaint()
    } else {
      take()
    }
    _ = adoptSize()
    onEvent?(.resumed)
  }

  public func close() {
    guard !isClosed else { return }
    isClosed = true
    flush.cancel()
    stopReading()
    give()
    rally_guard_enter()
    defer { rally_guard_leave() }
    rally_guard_disarm()
    if TerminalSignals.shared.terminal === self { TerminalSignals.shared.terminal = nil }
    delscreen(screen)
    frameOutput?.close()
    for stream in streams { fclose(stream) }
  }
}
