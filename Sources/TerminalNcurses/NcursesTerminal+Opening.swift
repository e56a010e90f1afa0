import CNcurses
import CTerminalGuard
import Glibc
import RallyText
import TerminalKit

/// What terminfo and the locale say of a terminal before it is opened.
extension NcursesTerminal {
  /// - Throws: When there can be no interface on a terminal of this type.
  public static func require(type: String, _ descriptor: Int32 = 1) throws(TerminalError) {
    guard !type.isEmpty else { throw .unknownType("") }
    var code: Int32 = 0
    guard setupterm(type, descriptor, &code) == OK else { throw .unknownType(type) }
    guard capability("cup") != nil, capability("clear") != nil else { throw .incapable(type) }
  }

  /// The type whose description is used. Where a terminal says in its environment that it draws
  /// 24-bit colours, and its type's description has few, it is that of the same name with 256.
  ///
  /// Leaves the description loaded. `TERM=screen` is usual in tmux, and `TERM=xterm` in containers.
  ///
  /// - Precondition: The type's own description is loaded.
  nonisolated static func describedType(
    of type: String, environment: [String: String]
  ) -> String {
    guard tigetnum("colors") < 256,
      TerminalCapabilities.hasDirectColors(type: type, extensions: [], environment: environment)
    else { return type }
    let wider = type + "-256color"
    var code: Int32 = 0
    if setupterm(wider, 1, &code) == OK { return wider }
    setupterm(type, 1, &code)
    return type
  }

  /// Sets `LC_CTYPE` to the person's locale, or to one with UTF-8 if that has none: the symbols
  /// need it, and terminals support UTF-8 even if no locale is set.
  static func chooseLocale() {
    for name in ["", "C.UTF-8", "en_US.UTF-8"] {
      setlocale(LC_CTYPE, name)
      if rally_curses_wcwidth(0x6F22) == 2 { return }
    }
  }

  /// The number of colours of a terminal, by its type's description and by what it says of itself in
  /// the environment; nil for an unknown type.
  public nonisolated static func colors(
    ofType type: String, environment: [String: String]
  ) -> Int? {
    var code: Int32 = 0
    guard !type.isEmpty, setupterm(type, 1, &code) == OK else { return nil }
    _ = describedType(of: type, environment: environment)
    let hasDirect = hasDirectColors(ofType: type, environment: environment)
    return hasDirect ? 1 << 24 : max(0, Int(tigetnum("colors")))
  }

  nonisolated static func capability(_ name: String) -> String? {
    guard let text = tigetstr(name), Int(bitPattern: text) != -1 else { return nil }
    return withoutDelays(String(cString: text))
  }

  /// Removes padding delays (`$<5>`, `$<2*/>`), which only hardware terminals need.
  nonisolated static func withoutDelays(_ capability: String) -> String {
    guard capability.utf8.contains(UInt8(ascii: "$")) else { return capability }
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

  /// Opens a stream on a close-on-exec duplicate, so that child processes do not keep the terminal
  /// open.
  static func stream(_ descriptor: Int32, _ mode: String) -> UnsafeMutablePointer<FILE>? {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return nil }
    return fdopen(copy, mode)
  }

  /// Has the terminal given back however the process ends, from now on.
  static func guardTerminal(_ descriptor: Int32) {
    TerminalSignals.shared.listen()
    // Until the terminal is taken there are only its settings to give back.
    _ = rally_guard_arm(descriptor, "", 0)
    for number in TerminalSignals.fatal { rally_guard_guard_signal(number) }
  }

  /// Starts ncurses.
  ///
  /// - Throws: `TerminalError.unknownType`; then the terminal is as it was.
  static func openScreen(
    _ type: String, describedAs described: String, input: Int32, output: Int32
  ) throws(TerminalError) -> (
    screen: OpaquePointer, input: UnsafeMutablePointer<FILE>, output: UnsafeMutablePointer<FILE>
  ) {
    // ncurses allocates as many cells as the window says it has; the part that is drawn on comes with
    // `adoptSize`.
    let isWhole = isDrawnWhole(output)
    use_env(isWhole)
    use_tioctl(isWhole)
    guard let written = stream(output, "w"), let read = stream(input, "r"),
      let screen = newterm(described, written, read)
    else {
      rally_guard_restore()
      rally_guard_disarm()
      throw .unknownType(type)
    }
    rally_guard_keep_errors()
    return (screen, read, written)
  }

  static func painter(
    _ mode: ColorMode, _ type: String, _ environment: [String: String]
  ) -> CellPainter {
    CellPainter(
      colorMode: mode, numbersColors: mode == .direct && rally_curses_colors() < 1 << 24,
      hasFewSigns: TerminalCapabilities.isLimited(type: type),
      isASCII: !TerminalCapabilities.isUnicode(environment),
      placesByANSI: capability("cup") == "\u{1b}[%i%p1%d;%p2%dH")
  }

  static func decoder(_ environment: [String: String]) -> KeyDecoder {
    KeyDecoder(
      escapeDelay: environment["SSH_CONNECTION"] == nil ? .milliseconds(25) : .milliseconds(50),
      terminfo: keySequences(), charset: .ofLocale(environment))
  }

  /// Keys come one by one and as they are, and nothing is done to what is written.
  static func setInputModes() {
    raw()
    noecho()
    nonl()
    typeahead(-1)  // do not interrupt a frame when a key is pressed
    intrflush(rally_curses_stdscr(), false)
  }

  static func startColors(wanted: ColorMode, hasDirect: Bool) -> ColorMode {
    guard wanted != .mono, has_colors(), start_color() == OK else { return .mono }
    use_default_colors()
    return wanted.limited(to: hasDirect ? 1 << 24 : Int(rally_curses_colors()))
  }

  /// Whether 24-bit colours can be written by their numbers.
  ///
  /// - Precondition: The description of the type is loaded.
  nonisolated static func hasDirectColors(
    ofType type: String, environment: [String: String]
  ) -> Bool {
    setsColorsByNumber
      && TerminalCapabilities.hasDirectColors(
        type: type, extensions: directExtensions, environment: environment)
  }

  /// Which of the extensions for 24-bit colours the terminal's description has.
  nonisolated static var directExtensions: [String] { ["RGB", "Tc"].filter { tigetflag($0) > 0 } }

  /// Whether the terminal's description chooses its 256 colours as xterm does, which
  /// `ColorNumbers` requires.
  nonisolated static var setsColorsByNumber: Bool {
    tigetnum("colors") >= 256 && capability("setaf")?.contains("38;5;%p1%d") == true
      && capability("setab")?.contains("48;5;%p1%d") == true
  }

  static func keySequences() -> [(bytes: [UInt8], chord: KeyChord)] {
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
}

extension SingleByteCharset {
  /// The charset of the person's locale; nil for UTF-8, ASCII, and charsets with letters of several
  /// bytes.
  ///
  /// Terminals send what their locale says. Bytes in another charset are no UTF-8.
  ///
  /// - Parameter environment: Read as `TerminalCapabilities.locale` does.
  public static func ofLocale(_ environment: [String: String]) -> SingleByteCharset? {
    guard let locale = TerminalCapabilities.locale(environment),
      !TerminalCapabilities.isUnicode(environment)
    else { return nil }
    return named(installedCharset(of: locale) ?? charset(writtenIn: locale))
  }

  private static func installedCharset(of locale: String) -> String? {
    let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer -> String in
      guard let start = buffer.baseAddress else { return "" }
      rally_curses_charset(locale, start, buffer.count)
      return String(cString: start)
    }
    return name.isEmpty ? nil : name
  }

  /// `ISO-8859-1` of `de_DE.ISO-8859-1@euro`; empty if the name has none.
  private static func charset(writtenIn locale: String) -> String {
    String(locale.drop { $0 != "." }.dropFirst().prefix { $0 != "@" })
  }

  /// - Parameter charset: As iconv names it.
  static func named(_ charset: String) -> SingleByteCharset? {
    guard !charset.isEmpty, let encoding = SingleByteEncoding(charset) else { return nil }
    let letters = encoding.scalars[0x80...]
    // ASCII, and what is switched by escape sequences, have no letters there.
    guard letters.contains(where: { $0.map { $0.value >= 0xA0 } ?? false }) else { return nil }
    return SingleByteCharset(upper: Array(letters))
  }
}

extension Size {
  /// The largest window that is drawn on. What is beyond it stays empty: a guest's client names any
  /// size, and each cell takes memory of the host.
  public static let largestTerminal = Size(width: 1000, height: 500)

  /// The part of a terminal's window (TIOCGWINSZ) that is drawn on; nil if the descriptor is not a
  /// terminal or its size is unknown.
  public init?(ofTerminal descriptor: Int32) {
    guard let window = Self(ofWindow: descriptor) else { return nil }
    self.init(
      width: min(window.width, Self.largestTerminal.width),
      height: min(window.height, Self.largestTerminal.height))
  }

  /// The whole window, whatever its size.
  init?(ofWindow descriptor: Int32) {
    var rows: Int32 = 0
    var columns: Int32 = 0
    guard rally_curses_winsize(descriptor, &rows, &columns) == 0, rows > 0, columns > 0 else {
      return nil
    }
    self.init(width: Int(columns), height: Int(rows))
  }
}

/// Why the interface cannot run on this terminal.
public enum TerminalError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Input or output is not a terminal.
  case notATerminal
  /// No terminfo entry for this type is installed, or `TERM` is not set.
  case unknownType(String)
  /// The terminal cannot position the cursor or clear the screen.
  case incapable(String)

  public var description: String {
    switch self {
    case .notATerminal: "Input and output must be a terminal."
    case .unknownType(""): "TERM is not set, so the terminal's kind is not known."
    case .unknownType(let type):
      "The terminal type \u{201C}\(type.cleanedForDisplay)\u{201D} is not known here."
    case .incapable(let type):
      "A terminal of type \u{201C}\(type.cleanedForDisplay)\u{201D} cannot place its cursor, which the"
        + " interface needs."
    }
  }
}
