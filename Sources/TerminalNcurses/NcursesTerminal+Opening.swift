import CNcurses
import Glibc
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

  /// Sets `LC_CTYPE` to the person's locale, or to one with UTF-8 if that has none: the symbols
  /// need it, and terminals support UTF-8 even if no locale is set.
  static func chooseLocale() {
    for name in ["", "C.UTF-8", "en_US.UTF-8"] {
      setlocale(LC_CTYPE, name)
      if cn_wcwidth(0x6F22) == 2 { return }
    }
  }

  /// The number of colours of a terminal, by its type's description and by what it says of itself in
  /// the environment; nil for an unknown type.
  public nonisolated static func colors(
    ofType type: String, environment: [String: String]
  ) -> Int? {
    var code: Int32 = 0
    guard !type.isEmpty, setupterm(type, 1, &code) == OK else { return nil }
    let hasDirect =
      setsColorsByNumber
      && TerminalCapabilities.hasDirectColors(
        type: type, extensions: directExtensions, environment: environment)
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

  static func startColors(wanted: ColorMode, hasDirect: Bool) -> ColorMode {
    guard wanted != .mono, has_colors(), start_color() == OK else { return .mono }
    use_default_colors()
    return wanted.limited(to: hasDirect ? 1 << 24 : Int(cn_colors()))
  }

  /// Which of the extensions for 24-bit colours the terminal's description has.
  nonisolated static var directExtensions: [String] {
    ["RGB", "Tc"].filter { tigetflag($0) > 0 }
  }

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
