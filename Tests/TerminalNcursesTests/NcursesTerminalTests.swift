import CNcurses
import CTerminalGuard
import Foundation
import RallyTestSupport
import Testing

@testable import TerminalKit
@testable import TerminalNcurses

/// A terminal inside this process: what ncurses writes is read at the other end.
@MainActor private final class Pty {
  let main: Int32
  let terminal: Int32

  init(rows: Int32 = 10, columns: Int32 = 40) {
    var main: Int32 = 0
    var terminal: Int32 = 0
    #expect(rally_curses_openpty(&main, &terminal, rows, columns) == 0)
    self.main = main
    self.terminal = terminal
    _ = fcntl(main, F_SETFL, O_NONBLOCK)
  }

  isolated deinit {
    close(main)
    close(terminal)
  }

  func open(
    _ mode: ColorMode = .direct, type: String = "xterm-256color",
    theme: ThemeChoice? = nil, environment: [String: String] = [:]
  ) throws -> NcursesTerminal {
    try NcursesTerminal(
      type: type, inputDescriptor: terminal, outputDescriptor: terminal, colorMode: mode,
      theme: theme ?? .fixed(Self.theme), environment: environment)
  }

  /// Red and bold for danger, as the terminal's own palette has it.
  private static let theme = Theme(looks: [.danger: Theme.Look(.own(1), on: .terminal, .bold)])

  func output() -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(main, &chunk, chunk.count), count > 0 {
      bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(write(main, bytes, bytes.count) == bytes.count)
  }

  var modes: [UInt32] {
    var modes = termios()
    tcgetattr(terminal, &modes)
    return [modes.c_iflag, modes.c_oflag, modes.c_lflag]
  }
}

@MainActor private func buffer(_ size: Size, _ text: String, style: Style = .normal)
  -> CellBuffer
{
  let buffer = CellBuffer(size: size)
  let frame = FrameContext(buffer: buffer, now: .now)
  Canvas(frame: frame, clip: Rect(origin: .zero, size: size)).draw(text, at: .zero, style: style)
  return buffer
}

@Suite(.serialized) @MainActor struct NcursesTerminalTests {
  @Test func `a title is written when it changes, and the former one comes back`() throws {
    let pty = Pty()
    var emulator = ScreenEmulator(rows: 10, columns: 40)
    emulator.feed(Array("\u{1b}]2;shell\u{7}".utf8))
    let terminal = try pty.open()
    terminal.start()
    terminal.setTitle("Rally · 1 request")
    emulator.feed(Array(pty.output().utf8))
    #expect(emulator.title == "Rally · 1 request")

    terminal.setTitle("Rally · 1 request")
    #expect(pty.output().isEmpty)
    terminal.setTitle("Rally\u{1b}]2;\u{7} all\u{9c} clean")
    emulator.feed(Array(pty.output().utf8))
    #expect(emulator.title == "Rally]2; all clean")

    terminal.setTitle(nil)
    emulator.feed(Array(pty.output().utf8))
    #expect(emulator.title == "shell")
    terminal.setTitle("Rally")
    terminal.close()
    emulator.feed(Array(pty.output().utf8))
    #expect(emulator.title == "shell")
    #expect(emulator.titleStack.isEmpty)
  }

  @Test(arguments: ["linux", "vt100"])
  func `a terminal without a title is told of none`(_ type: String) throws {
    let pty = Pty()
    let terminal = try pty.open(type: type)
    terminal.start()
    terminal.setTitle("Rally")
    terminal.close()
    let output = pty.output()
    #expect(!output.contains("Rally"))
    #expect(!output.contains(TerminalModes.pushTitle))
    #expect(!output.contains(TerminalModes.popTitle))
  }

  @Test func `a frame is painted once and then only its differences`() throws {
    let pty = Pty()
    let terminal = try pty.open()
    defer { terminal.close() }
    #expect(terminal.size == Size(width: 40, height: 10))
    let first = buffer(terminal.size, "hello 漢字 é e\u{301}")

    terminal.draw(first, since: nil, cursor: nil)
    #expect(pty.output().contains("hello 漢字 é e\u{301}"))

    let second = buffer(terminal.size, "hellO 漢字 é e\u{301}")
    terminal.draw(second, since: first, cursor: nil)
    let difference = pty.output()
    #expect(difference.contains("O"))
    #expect(!difference.contains("漢"))
    #expect(difference.utf8.count < 24)
  }

  @Test func `blanks are cleared at once, whatever colour the text beside them has`() throws {
    let pty = Pty()
    let terminal = try pty.open()
    defer { terminal.close() }
    let first = buffer(terminal.size, String(repeating: "x", count: 30))
    terminal.draw(first, since: nil, cursor: nil)
    var emulator = ScreenEmulator(rows: 10, columns: 40)
    emulator.feed(pty.output())
    let blanks = String(repeating: " ", count: 20)

    let cleared = buffer(terminal.size, "name\(blanks)xxxxxx", style: .danger)
    cleared.put(.space, width: 1, style: .normal, at: Point(x: 13, y: 0))
    terminal.draw(cleared, since: first, cursor: nil)
    let output = pty.output()
    #expect(output.contains("\u{1B}[20X"))
    emulator.feed(output)
    #expect(emulator.lines[0].hasPrefix("name\(blanks)xxxxxx"))

    let selected = buffer(terminal.size, "name\(blanks)xxxxxx", style: .danger.reverse)
    terminal.draw(selected, since: cleared, cursor: nil)
    emulator.feed(pty.output())
    #expect(emulator.cells(row: 0).prefix(30).allSatisfy { $0.style.reverse })
    #expect(emulator.cells(row: 0)[30].style == ScreenCell.Style())
  }

  @Test func `whatever frames follow each other, the terminal shows the last one`() throws {
    let pty = Pty()
    let terminal = try pty.open()
    defer { terminal.close() }
    var emulator = ScreenEmulator(rows: 10, columns: 40)
    emulator.feed(pty.output())
    let words = [
      "plain", "漢字", "e\u{301}", "👍🏽", "👨‍👩‍👧", "🇵🇹", "⚠\u{FE0F}", "한글", "─│╭", "⣿⠑", "●", " ",
      "\u{200B}",
      "\u{1}", "क्षि", "x\u{1b}[2J",
    ]
    var shown: CellBuffer?
    for _ in 0..<300 {
      let next = CellBuffer(size: terminal.size)
      if let shown { next.copy(from: shown) }
      let frame = FrameContext(buffer: next, now: .now)
      let canvas = Canvas(frame: frame, clip: Rect(origin: .zero, size: next.size))
      for _ in 0..<Int.random(in: 1...6) {
        let clip = Rect(
          x: .random(in: 0..<40), y: .random(in: 0..<10), width: .random(in: 1...20), height: 1)
        let text = (0..<4).compactMap { _ in words.randomElement() }.joined()
        canvas.clipped(to: clip).draw(
          text, at: Point(x: clip.minX - .random(in: 0...2), y: clip.minY),
          style: Style(Role.allCases.randomElement() ?? .normal))
      }
      terminal.draw(next, since: shown, cursor: nil)
      emulator.feed(pty.output())
      shown = next
      for y in 0..<10 {
        #expect(trimmed(emulator.lines[y]) == trimmed(next.text(ofRow: y)))
        #expect((0..<40).reduce(0) { $0 + Int(next[$1, y].width) } == 40)
      }
    }
  }

  private let keysOn = "\u{1b}[>5u"

  private func trimmed(_ text: String) -> String {
    String(text.reversed().drop { $0 == " " }.reversed())
  }

  @Test func `the terminal is left as it was found`() throws {
    let pty = Pty()
    let before = pty.modes
    let terminal = try pty.open()
    terminal.start()
    #expect(pty.modes != before)
    _ = pty.output()

    terminal.close()
    terminal.close()

    #expect(pty.modes == before)
    let output = pty.output()
    for undo in ["\u{1b}[?2004l", "\u{1b}[?1004l", "\u{1b}[?1000l", "\u{1b}[?1049l", "\u{1b}[?25h"]
    { #expect(output.contains(undo)) }
  }

  @Test func `bytes become keys, and an Esc alone is told in time`() async throws {
    let pty = Pty()
    let terminal = try pty.open()
    defer { terminal.close() }
    var events: [InputEvent] = []
    terminal.onEvent = { if case .input(let more) = $0 { events += more } }
    terminal.start()

    pty.type("a漢\u{1b}OA\u{1b}[200~two\nlines\u{1b}[201~\u{1}")
    await wait { events.count == 5 }
    #expect(
      events == [
        .key(.character("a")), .key(.character("漢")), .key(KeyChord(.up)), .paste("two\nlines"),
        .key(.control("a")),
      ])

    pty.type("\u{1b}")
    await wait { events.last == .key(KeyChord(.escape)) }
    #expect(events.count == 6)
  }

  @Test func `without colours weights are left, and no colour is sent`() throws {
    let pty = Pty()
    let terminal = try pty.open(.mono)
    defer { terminal.close() }
    terminal.draw(
      buffer(terminal.size, "danger", style: .danger), since: nil, cursor: nil)
    let output = pty.output()
    #expect(output.contains("1mdanger"))
    #expect(!output.contains("31"))
  }

  @Test func `a role is a colour of the terminal's own palette`() throws {
    let pty = Pty()
    let terminal = try pty.open()
    defer { terminal.close() }
    terminal.draw(buffer(terminal.size, "danger", style: .danger), since: nil, cursor: nil)
    #expect(pty.output().contains("31m"))
  }

  @Test func `a copied text goes out whole between two frames, which stay as they are`() throws {
    let pty = Pty()
    let terminal = try pty.open()
    defer { terminal.close() }
    var emulator = ScreenEmulator(rows: 10, columns: 40)
    let first = buffer(terminal.size, "before")
    terminal.draw(first, since: nil, cursor: nil)
    emulator.feed(pty.output())

    try terminal.copy("38.7200, -9.1400 漢")

    let copied = pty.output()
    #expect(copied == "\u{1b}]52;c;MzguNzIwMCwgLTkuMTQwMCDmvKI=\u{07}")
    emulator.feed(copied)
    let second = buffer(terminal.size, "behind")
    terminal.draw(second, since: first, cursor: nil)
    emulator.feed(pty.output())
    #expect(trimmed(emulator.lines[0]) == "behind")
    #expect(emulator.lines[1...].allSatisfy { trimmed($0).isEmpty })
  }

  @Test func `inside of tmux a copied text is passed on to the terminal around it`() throws {
    let pty = Pty()
    let terminal = try pty.open(
      type: "tmux-256color", environment: ["TMUX": "/tmp/tmux-1000/default,7,0"])
    defer { terminal.close() }
    _ = pty.output()
    try terminal.copy("@ana")
    let plain = "\u{1b}]52;c;QGFuYQ==\u{07}"
    #expect(pty.output() == "\u{1b}Ptmux;\u{1b}\(plain)\u{1b}\\\(plain)")
  }

  @Test func `what cannot be copied is refused, and nothing is sent`() throws {
    let pty = Pty()
    let terminal = try pty.open()
    _ = pty.output()
    let tooLong = ClipboardError.limit + 1
    #expect(throws: ClipboardError.tooLong(bytes: tooLong)) {
      try terminal.copy(String(repeating: "a", count: tooLong))
    }
    #expect(pty.output().isEmpty)
    terminal.close()
    let console = try pty.open(type: "linux")
    defer { console.close() }
    _ = pty.output()
    #expect(throws: ClipboardError.noClipboard) { try console.copy("@ana") }
    #expect(pty.output().isEmpty)
  }

  @Test func `a window that changes its size tells it`() async throws {
    let pty = Pty()
    let terminal = try pty.open()
    defer { terminal.close() }
    var sizes: [Size] = []
    terminal.onEvent = { if case .resized(let size) = $0 { sizes.append(size) } }
    terminal.start()

    #expect(rally_curses_set_winsize(pty.terminal, 16, 60) == 0)
    kill(getpid(), SIGWINCH)

    await wait { sizes == [Size(width: 60, height: 16)] }
    #expect(terminal.size == Size(width: 60, height: 16))

    // There and back before anybody looked: the window may have lost what it showed.
    kill(getpid(), SIGWINCH)
    await wait { sizes.count == 2 }
  }

  @Test(arguments: [(65_535 as Int32, 65_535 as Int32), (10_000, 10_000), (24, 60_000), (600, 80)])
  func `a window that is larger than any is drawn as the largest, at the start and later`(
    rows: Int32, columns: Int32
  ) async throws {
    let drawn = Size(width: min(1000, Int(columns)), height: min(500, Int(rows)))
    let large = Pty(rows: rows, columns: columns)
    let first = try large.open()
    #expect(first.size == drawn)
    #expect(Int(rally_curses_lines()) == drawn.height)
    #expect(Int(rally_curses_cols()) == drawn.width)
    first.draw(buffer(first.size, "hello"), since: nil, cursor: nil)
    #expect(large.output().contains("hello"))
    first.close()

    let pty = Pty()
    let second = try pty.open()
    defer { second.close() }
    var sizes: [Size] = []
    second.onEvent = { if case .resized(let size) = $0 { sizes.append(size) } }
    second.start()
    #expect(rally_curses_set_winsize(pty.terminal, rows, columns) == 0)
    kill(getpid(), SIGWINCH)
    await wait { sizes == [drawn] }
    #expect(Int(rally_curses_lines()) == drawn.height)
  }

  @Test func `a terminal that goes away ends the input`() async throws {
    var main: Int32 = 0
    var other: Int32 = 0
    #expect(rally_curses_openpty(&main, &other, 10, 40) == 0)
    // A program that another test starts would keep the terminal alive.
    #expect(fcntl(main, F_SETFD, FD_CLOEXEC) == 0)
    let terminal = try NcursesTerminal(
      type: "xterm", inputDescriptor: other, outputDescriptor: other, environment: [:])
    defer { terminal.close() }
    var hangups = 0
    terminal.onEvent = { if case .hangup = $0 { hangups += 1 } }
    terminal.start()

    close(main)

    await wait { hangups == 1 }
  }

  @Test func `what is no terminal, or not known, is an error that says so`() throws {
    let file = open("/dev/null", O_RDWR)
    defer { close(file) }
    #expect(throws: TerminalError.notATerminal) {
      try NcursesTerminal(inputDescriptor: file, outputDescriptor: file)
    }
    let pty = Pty()
    #expect(throws: TerminalError.unknownType("no-such-terminal")) {
      try pty.open(type: "no-such-terminal")
    }
    #expect(throws: TerminalError.unknownType("")) { try pty.open(type: "") }
    #expect(throws: TerminalError.incapable("dumb")) { try pty.open(type: "dumb") }
  }

  @Test(arguments: [("linux", "*o.. │ é ."), ("vt100", "*o.. │ é ."), ("xterm", "●○◌⣿ │ é …")])
  func `marks that a console has not are ASCII there`(_ type: String, _ shown: String) throws {
    let pty = Pty()
    let terminal = try pty.open(type: type)
    defer { terminal.close() }
    terminal.draw(buffer(terminal.size, "●○◌⣿ │ é …"), since: nil, cursor: nil)
    #expect(pty.output().contains(shown))
  }

  @Test func `a cursor that a terminal cannot hide waits in the corner`() throws {
    let pty = Pty()
    let terminal = try pty.open(type: "vt100")
    defer { terminal.close() }
    var emulator = ScreenEmulator(rows: 10, columns: 40)
    let first = buffer(terminal.size, "hello")
    terminal.draw(first, since: nil, cursor: nil)
    emulator.feed(Array(pty.output().utf8))
    #expect((emulator.cursor.row, emulator.cursor.column) == (9, 39))
    let second = buffer(terminal.size, "hullo")
    let selection = Cursor(position: Point(x: 3, y: 2), isVisible: false)
    terminal.draw(second, since: first, cursor: selection)
    emulator.feed(Array(pty.output().utf8))
    #expect((emulator.cursor.row, emulator.cursor.column) == (9, 39))
    terminal.draw(
      second, since: second, cursor: Cursor(position: Point(x: 3, y: 2), isVisible: true))
    emulator.feed(Array(pty.output().utf8))
    #expect((emulator.cursor.row, emulator.cursor.column) == (2, 3))
  }

  @Test(
    arguments: [
      ("screen", ["COLORTERM": "truecolor"], .direct), ("xterm", ["COLORTERM": "24bit"], .direct),
      ("xterm", [:], .sixteen), ("linux", ["COLORTERM": "truecolor"], .sixteen),
      ("screen", ["COLORTERM": "truecolor", "STY": "1.pts"], .sixteen),
    ] as [(String, [String: String], ColorMode)])
  func `who says that they draw 24-bit colours is given them, also by a type of few colours`(
    type: String, environment: [String: String], mode: ColorMode
  ) throws {
    let pty = Pty()
    let terminal = try pty.open(type: type, environment: environment)
    defer { terminal.close() }
    #expect(terminal.colorMode == mode)
    let known = NcursesTerminal.colors(ofType: type, environment: environment)
    #expect((known == 1 << 24) == (mode == .direct))
  }

  @Test(arguments: ["xterm", "xterm-256color", "screen", "tmux-256color", "linux", "vt100"])
  func `every usual kind of terminal shows a frame`(_ type: String) throws {
    let pty = Pty()
    let terminal = try pty.open(type: type)
    defer { terminal.close() }
    terminal.draw(buffer(terminal.size, "hello 漢字", style: .accent), since: nil, cursor: nil)
    let output = pty.output()
    #expect(output.contains("hello"))
    #expect(output.contains("漢字"))
  }

  @Test(
    arguments: [
      SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGQUIT, SIGINT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM,
      SIGPROF, SIGXCPU, SIGIO, SIGSYS, SIGSTKFLT, __libc_current_sigrtmin(),
      __libc_current_sigrtmin() + 8, __libc_current_sigrtmax(),
    ])
  func `a signal that ends the program gives the terminal back first`(_ signal: Int32) throws {
    let pty = Pty()
    let before = pty.modes
    // The tests may have been started in the background, where shells ignore INT and QUIT. What
    // `TerminalSignals` listens to is listened to for good.
    let isOurs = [SIGINT, SIGQUIT].contains(signal)
    let former = isOurs ? Glibc.signal(signal, SIG_DFL) : nil
    defer { if isOurs { _ = Glibc.signal(signal, former) } }
    let terminal = try pty.open()
    terminal.start()
    #expect(pty.modes != before)
    _ = pty.output()

    // A child is a copy with the same handlers; only async-signal-safe things happen in it.
    let status = crash(by: signal)

    #expect(status & 0x7F == signal)
    #expect(pty.modes == before)
    #expect(pty.output().contains("\u{1b}[?1049l"))
    terminal.close()
  }

  @Test func `a stack that overflows gives the terminal back, on a stack of its own`() throws {
    let pty = Pty()
    let before = pty.modes
    let terminal = try pty.open()
    terminal.start()
    _ = pty.output()
    let status = crash { _ = Self.depth(below: 0) }
    #expect(status & 0x7F == SIGSEGV)
    #expect(pty.modes == before)
    #expect(pty.output().contains("\u{1b}[?1049l"))
    terminal.close()
  }

  /// Never ends.
  private static func depth(below level: Int) -> Int {
    var room = (level, level + 1, level + 2, level + 3, level + 4, level + 5, level + 6, level + 7)
    withUnsafeMutableBytes(of: &room) { $0[0] = UInt8(truncatingIfNeeded: level) }
    return level < 0 ? 0 : depth(below: level + 1) + room.7
  }

  @Test func `the reason of a crash is said after the picture is gone`() throws {
    let pty = Pty()
    let terminal = try pty.open()
    terminal.start()
    _ = pty.output()
    let descriptor = pty.terminal
    let status = crash {
      dup2(descriptor, 2)
      rally_guard_keep_errors()
      fatalError("the reason")
    }
    #expect([SIGILL, SIGTRAP].contains(status & 0x7F))
    let output = pty.output()
    let left = try #require(output.range(of: "\u{1b}[?1049l"))
    #expect(output[left.upperBound...].contains("the reason"))
    #expect(!output[..<left.lowerBound].contains("the reason"))
    terminal.close()
  }

  @Test func `a terminal that takes nothing any more is told once, and the end does not wait`()
    throws
  {
    var main: Int32 = 0
    var other: Int32 = 0
    #expect(rally_curses_openpty(&main, &other, 10, 40) == 0)
    // A program that another test starts would keep the terminal alive.
    #expect(fcntl(main, F_SETFD, FD_CLOEXEC) == 0)
    let terminal = try NcursesTerminal(
      type: "xterm", inputDescriptor: other, outputDescriptor: other, environment: [:])
    var hangups = 0
    terminal.onEvent = { if case .hangup = $0 { hangups += 1 } }
    terminal.draw(buffer(terminal.size, "before"), since: nil, cursor: nil)
    close(main)
    for text in ["one", "two"] {
      terminal.draw(buffer(terminal.size, text), since: nil, cursor: nil)
      terminal.bell()
    }
    #expect(hangups == 1)
    terminal.close()
    close(other)
  }

  /// The terminal says that it has kitty's keys.
  private func haveKeys(_ terminal: NcursesTerminal, _ pty: Pty) {
    pty.type("\u{1b}[?0u")
    terminal.readBytes()
  }

  @Test func `kitty's keys are switched on once the terminal has them, and left before its screen`()
    throws
  {
    let pty = Pty()
    let terminal = try pty.open()
    terminal.start()
    terminal.draw(buffer(terminal.size, "first"), since: nil, cursor: nil)
    let begun = pty.output()
    #expect(begun.contains(TerminalQuestions.all) && !begun.contains(keysOn))
    haveKeys(terminal, pty)
    #expect(pty.output() == keysOn)
    haveKeys(terminal, pty)
    terminal.draw(buffer(terminal.size, "second"), since: nil, cursor: nil)
    #expect(!pty.output().contains(keysOn))
    terminal.close()
    let ended = pty.output()
    let off = try #require(ended.range(of: TerminalModes.keysOff))
    let left = try #require(ended.range(of: "\u{1b}[?1049l"))
    #expect(off.upperBound <= left.lowerBound)
    #expect(!ended[off.upperBound...].contains(TerminalModes.keysOff))
  }

  @Test func `a crash leaves kitty's keys as well`() throws {
    let pty = Pty()
    let terminal = try pty.open()
    terminal.start()
    terminal.draw(buffer(terminal.size, "first"), since: nil, cursor: nil)
    haveKeys(terminal, pty)
    _ = pty.output()
    _ = crash(by: SIGSEGV)
    #expect(pty.output().contains(TerminalModes.keysOff))
    terminal.close()
  }

  @Test func `frames are sent whole where the terminal says that it waits for their end`() throws {
    let pty = Pty()
    let terminal = try pty.open()
    terminal.start()
    let first = buffer(terminal.size, "first")
    terminal.draw(first, since: nil, cursor: nil)
    #expect(!pty.output().contains("\u{1b}[?2026h"))
    pty.type("\u{1b}[?2026;2$y")
    terminal.readBytes()
    let second = buffer(terminal.size, "second")
    terminal.draw(second, since: first, cursor: nil)
    let frame = pty.output()
    #expect(frame.hasPrefix("\u{1b}[?2026h") && frame.hasSuffix("\u{1b}[?2026l"))
    terminal.draw(second, since: second, cursor: nil)
    #expect(pty.output() == "")
    terminal.close()
  }

  @Test func `a background that is reported late changes the theme, and is told once`() throws {
    let pty = Pty()
    let light = Theme(looks: [.danger: Theme.Look(.own(4))])
    let dark = Theme(looks: [.danger: Theme.Look(.own(1))])
    let terminal = try pty.open(theme: .byBackground(light: light, dark: dark))
    var told: [Bool] = []
    var changes = 0
    terminal.onBackground = { told.append($0) }
    terminal.onEvent = { if case .appearanceChanged = $0 { changes += 1 } }
    terminal.start()
    func frame() -> String {
      let screen = CellBuffer(size: terminal.size)
      let context = FrameContext(buffer: screen, now: .now)
      Canvas(frame: context, clip: Rect(origin: .zero, size: terminal.size)).draw(
        "red", at: .zero, style: .danger)
      _ = pty.output()
      terminal.repaint()
      terminal.draw(screen, since: nil, cursor: nil)
      return pty.output()
    }
    #expect(frame().contains("\u{1b}[31m"))
    pty.type("\u{1b}]11;rgb:ffff/ffff/ffff\u{7}")
    terminal.readBytes()
    #expect(told == [true] && changes == 1)
    #expect(frame().contains("\u{1b}[34m"))
    // The desktop switches back, if the terminal reports it.
    pty.type("\u{1b}[?2031;2$y")
    terminal.readBytes()
    #expect(pty.output() == TerminalModes.schemeOn)
    pty.type("\u{1b}[?997;1n\u{1b}[?997;1n")
    terminal.readBytes()
    #expect(told == [true, false] && changes == 2)
    terminal.close()
    #expect(pty.output().contains(TerminalModes.schemeOff))
  }

  /// What a program that is started now would find, beside the settings.
  private func found(_ emulator: ScreenEmulator) -> [String] {
    emulator.leftovers + (emulator.isAlternate ? ["the alternate screen"] : [])
  }

  @Test func `a terminal that is lent is as whole as one that is given back`() async throws {
    let pty = Pty()
    let before = pty.modes
    var emulator = ScreenEmulator(rows: 10, columns: 40)
    let terminal = try pty.open()
    terminal.start()
    terminal.setMouse(true)
    terminal.setTitle("Rally")
    let first = buffer(terminal.size, "first")
    let cursor = Cursor(position: Point(x: 2, y: 0), isVisible: true)
    terminal.draw(first, since: nil, cursor: cursor)
    haveKeys(terminal, pty)
    var output = pty.output()
    emulator.feed(output)
    #expect(emulator.keyFlags[true] == [5])
    for _ in 1...2 {
      await terminal.lend { _ in
        let given = pty.output()
        output += given
        emulator.feed(given)
        #expect(self.found(emulator) == [])
        #expect(pty.modes == before)
        // It leaves what a program that crashes leaves.
        emulator.feed("\u{1b}[?1003h\u{1b}[?25l\u{1b}[31m")
      }
      terminal.draw(first, since: nil, cursor: cursor)
      let taken = pty.output()
      output += taken
      emulator.feed(taken)
      #expect(emulator.isAlternate)
      #expect(emulator.modes.contains(25))
      #expect(emulator.keyFlags[true] == [5])
      #expect(emulator.modes.isSuperset(of: [1000, 1004, 1006, 2004]))
      #expect(emulator.title == "Rally")
      #expect(trimmed(emulator.lines[0]) == "first")
    }
    terminal.close()
    let ended = pty.output()
    output += ended
    emulator.feed(ended)
    #expect(found(emulator) == [])
    #expect(pty.modes == before)
    func count(_ part: String) -> Int { output.ranges(of: part).count }
    for (set, reset) in [
      ("\u{1b}[?1049h", "\u{1b}[?1049l"), (keysOn, TerminalModes.keysOff),
      (TerminalModes.pushTitle, TerminalModes.popTitle),
    ] {
      #expect(count(set) == 3)
      #expect(count(reset) == 3)
    }
    // xterm's own push and pop of the title.
    #expect(count("\u{1b}[22;0;0t") == 0)
    #expect(count("\u{1b}[23;0;0t") == 0)
  }

  @Test func `the places of keys are asked for once, and stay asked for`() async throws {
    let pty = Pty()
    let terminal = try pty.open()
    defer { terminal.close() }
    terminal.start()
    #expect(!terminal.reportKeyPlaces())
    haveKeys(terminal, pty)
    #expect(terminal.reportKeyPlaces())
    var emulator = ScreenEmulator(rows: 10, columns: 40)
    emulator.feed(pty.output())
    #expect(emulator.keyFlags[true] == [29])
    await terminal.lend { _ in
      emulator.feed(pty.output())
      #expect(self.found(emulator) == [])
    }
    emulator.feed(pty.output())
    #expect(emulator.keyFlags[true] == [29])
    let other = Pty()
    let plain = try other.open()
    #expect(!plain.reportKeyPlaces())
    plain.close()
  }

  @Test(arguments: [true, false])
  func `another terminal in its place gets all modes with the next whole frame`(isResized: Bool)
    async throws
  {
    let pty = Pty()
    let terminal = try pty.open()
    defer { terminal.close() }
    terminal.start()
    terminal.setMouse(true)
    terminal.setTitle("Rally")
    let first = buffer(terminal.size, "first")
    terminal.draw(first, since: nil, cursor: nil)
    haveKeys(terminal, pty)
    _ = pty.output()
    if isResized {
      var isTold = false
      terminal.onEvent = { if case .resized = $0 { isTold = true } }
      kill(getpid(), SIGWINCH)
      await wait { isTold }
    } else {
      terminal.repaint()
    }
    terminal.draw(first, since: nil, cursor: nil)
    let output = pty.output()
    var attached = ScreenEmulator(rows: 10, columns: 40)
    attached.feed(output)
    #expect(attached.isAlternate)
    #expect(attached.keyFlags[true] == [5])
    #expect(attached.modes.isSuperset(of: [1000, 1004, 1006, 2004]))
    #expect(!attached.modes.contains(25))
    #expect(attached.title == "Rally")
    #expect(trimmed(attached.lines[0]) == "first")
    // In the same terminal nothing is pushed twice.
    for part in ["\u{1b}[?1049h", keysOn, TerminalModes.pushTitle] {
      #expect(!output.contains(part))
    }
    let second = buffer(terminal.size, "second")
    terminal.draw(second, since: first, cursor: nil)
    #expect(!pty.output().contains("\u{1b}[?2004h"))
  }

  @Test(arguments: ["linux", "vt100", "screen"])
  func `where there is no second screen nothing of it stays on the console`(_ type: String) throws {
    let pty = Pty()
    let terminal = try pty.open(type: type)
    terminal.start()
    let screen = buffer(terminal.size, "Bob is in Lisbon")
    let frame = FrameContext(buffer: screen, now: .now)
    Canvas(frame: frame, clip: Rect(origin: .zero, size: terminal.size)).draw(
      "c find people", at: Point(x: 0, y: 9), style: .normal)
    terminal.draw(screen, since: nil, cursor: nil)
    var emulator = ScreenEmulator(rows: 10, columns: 40)
    let shown = pty.output().replacing("\u{1b}[?1049h", with: "")
    emulator.feed(shown)
    #expect(emulator.contains("c find people"))
    terminal.close()
    emulator.feed(pty.output().replacing("\u{1b}[?1049l", with: ""))
    #expect(emulator.lines.allSatisfy { $0.isEmpty })
    #expect(emulator.cursor.column == 0)
  }

  @Test(arguments: [true, false])
  func `an answer that comes late is not typed into what has the terminal next`(isLent: Bool)
    async throws
  {
    let pty = Pty()
    let terminal = try pty.open()
    terminal.start()
    pty.type("\u{1b}]11;rgb:0000/0000/0000\u{1b}\\")
    let main = pty.main
    let answering = Thread {
      usleep(20_000)
      _ = write(main, "\u{1b}[?62;22c", 9)
    }
    answering.start()
    if isLent {
      let unread = await terminal.lend { descriptor in
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0)
      }
      #expect(unread == 0)
    }
    terminal.close()
    var waiting = pollfd(fd: pty.terminal, events: Int16(POLLIN), revents: 0)
    #expect(poll(&waiting, 1, 0) == 0)
  }

  @Test func `what is typed while another program has the terminal is that program's`() async throws
  {
    let pty = Pty()
    let terminal = try pty.open()
    var inputs = 0
    terminal.onEvent = { if case .input = $0 { inputs += 1 } }
    terminal.start()
    terminal.draw(buffer(terminal.size, "first"), since: nil, cursor: nil)
    let unread = await terminal.lend { descriptor in
      pty.type("x\r")
      // A read that was on its way when the terminal was lent.
      terminal.readBytes()
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&waiting, 1, 60_000)
    }
    #expect(unread == 1)
    #expect(inputs == 0)
    terminal.close()
  }

  @Test func `it can be closed while another program has it`() async throws {
    let pty = Pty()
    let terminal = try pty.open()
    terminal.start()
    terminal.draw(buffer(terminal.size, "first"), since: nil, cursor: nil)
    let result = await terminal.lend { _ in
      terminal.close()
      return 1
    }
    #expect(result == 1)
  }

  @Test(arguments: [true, false])
  func `whatever rows scrolled last, all do in the end`(crashes: Bool) throws {
    let pty = Pty()
    let terminal = try pty.open()
    terminal.start()
    terminal.draw(buffer(terminal.size, "first"), since: nil, cursor: nil)
    var screen = ScreenEmulator(rows: terminal.size.height, columns: terminal.size.width)
    screen.feed(pty.output())
    // As for a window of another height, when the program ends before it draws again.
    screen.feed("\u{1b}[2;5r")
    if crashes { _ = crash(by: SIGSEGV) } else { terminal.close() }
    screen.feed(pty.output())
    #expect(screen.leftovers == [])
    terminal.close()
  }

  /// A terminal that gives emoji and joined marks another width than we do.
  @Test(arguments: [1, 3]) func `what follows a doubtful cluster stands where it belongs`(
    width: Int
  ) throws {
    let pty = Pty()
    let terminal = try pty.open()
    defer { terminal.close() }
    var emulator = ScreenEmulator(rows: 10, columns: 40)
    emulator.widthOfEmoji = width
    emulator.feed(pty.output())
    let size = terminal.size
    let first = buffer(size, "🎉 Ana|e\u{301}|🎉🎉|漢|end")
    terminal.draw(first, since: nil, cursor: nil)
    emulator.feed(pty.output())
    let expected: [(Int, Character)] = [
      (6, "|"), (8, "|"), (13, "|"), (14, "漢"), (16, "|"), (17, "e"),
    ]
    for (column, character) in expected {
      #expect(emulator.cells(row: 0)[column].text == String(character), "\(emulator.lines[0])")
    }
    // Only the end changes, and only the beginning.
    for text in ["🎉 Ana|e\u{301}|🎉🎉|漢|END", "🎂 Ana|e\u{301}|🎉🎉|漢|END", "plain|"] {
      let next = buffer(size, text)
      terminal.draw(next, since: first, cursor: nil)
      first.copy(from: next)
      emulator.feed(pty.output())
      let place = text.hasPrefix("plain") ? 5 : 16
      #expect(emulator.cells(row: 0)[place].text == "|", "\(emulator.lines[0])")
    }
    #expect(trimmed(emulator.lines[0]) == "plain|")
  }

  private func crash(by signal: Int32) -> Int32 { crash { kill(getpid(), signal) } }

  private func crash(_ act: () -> Void) -> Int32 {
    let child = rally_curses_fork()
    if child == 0 {
      // The thread that was copied leaves signals to others, which are not in the child.
      var none = sigset_t()
      sigemptyset(&none)
      pthread_sigmask(SIG_SETMASK, &none, nil)
      // A lock that another thread had is never released here.
      alarm(60)
      act()
      _exit(0)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    return status
  }

  private func wait(_ condition: () -> Bool) async {
    let limit = ContinuousClock.now + PollingBackoff.limit
    while !condition(), ContinuousClock.now < limit {
      try? await Task.sleep(for: .milliseconds(2))
    }
    #expect(condition())
  }
}
