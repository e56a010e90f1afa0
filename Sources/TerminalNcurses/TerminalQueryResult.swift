import Glibc
import RallyText
import TerminalKit

/// The capabilities that a terminal reports when queried, and the character widths it uses.
///
/// Sources: "XTerm Control Sequences" (DA1, DECRQM, XTVERSION, OSC 11, XTGETTCAP), kitty's
/// "Comprehensive keyboard handling", and the "Synchronized Output" page of Contour for mode 2026.
public struct TerminalQueryResult: Hashable, Sendable {
  public enum Answer: String, Hashable, Sendable, Encodable {
    case yes, no
    /// No or no usable response.
    case unknown
  }

  /// The expected and measured width of a sample text.
  public struct Width: Hashable, Sendable, Encodable {
    public var name: String
    public var text: String
    /// Width in cells as computed by Rally.
    public var expected: Int
    /// Cells that the cursor advanced; nil if the terminal did not report it.
    public var measured: Int?

    public var differs: Bool { measured.map { $0 != expected } ?? false }
  }

  /// Name and version (XTVERSION), such as `XTerm(379)`; nil if not reported.
  public var name: String?
  public var hasAnswered: Bool
  public var keyboard: Answer
  public var paste: Answer
  public var mouse: Answer
  public var focus: Answer
  public var synchronized: Answer
  public var clipboard: Answer
  /// `dark` or `light`; nil if not reported.
  public var background: String?
  public var widths: [Width]

  /// Samples of each kind of character on Rally's screens or in people's texts.
  static let samples: [(name: String, text: String)] = [
    ("letter with accent", "é"), ("letter and mark", "e\u{301}"), ("Chinese", "漢"),
    ("Korean", "한"), ("half width", "ﾊ"), ("emoji", "😀"), ("emoji with tone", "👍🏽"),
    ("family", "👨‍👩‍👧"), ("flag", "🇵🇹"), ("heart as a picture", "❤️"), ("warning", "⚠"),
    ("marks of state", "●"), ("selection", "▸"), ("frame", "─"), ("dots of the map", "⣿"),
    ("ellipsis", "…"), ("quotation", "“"),
  ]

  /// A sample as Rally draws it; sequences that terminals disagree about are never sent.
  static func drawn(_ text: String) -> String {
    text.flatMap { CellWidth.pieces(of: $0).map(\.text) }.joined()
  }

  /// All queries, widths last, terminated by a device attributes request (DA1): every terminal
  /// answers that, and responses arrive in order.
  static var questions: String {
    let modes = [2004, 1006, 1004, 2026].map { "\u{1b}[?\($0)$p" }.joined()
    let widths = samples.map { "\r\u{1b}[K\(drawn($0.text))\u{1b}[6n" }.joined()
    return "\u{1b}[>0q\u{1b}[?u\(modes)\u{1b}]11;?\u{1b}\\\u{1b}P+q4d73\u{1b}\\" + widths
      + "\r\u{1b}[K\u{1b}[c"
  }

  init(_ bytes: [UInt8]) {
    let replies = TerminalResponses(bytes)
    hasAnswered = replies.contains(mark: "?", end: "c")
    name = replies.devices.first { $0.hasPrefix(">|") }.map {
      String($0.dropFirst(2)).cleanedForDisplay
    }
    func mode(_ number: Int) -> Answer {
      let reply = replies.controls.first {
        $0.mark == "?" && $0.end == "y" && $0.parameters.first == number
      }
      guard let reply, reply.parameters.count == 2 else { return .unknown }
      // 0: not recognised; 4: permanently reset.
      return [1, 2, 3].contains(reply.parameters[1]) ? .yes : .no
    }
    paste = mode(2004)
    mouse = mode(1006)
    focus = mode(1004)
    synchronized = mode(2026)
    keyboard = replies.contains(mark: "?", end: "u") ? .yes : hasAnswered ? .no : .unknown
    let attributes = replies.controls.first { $0.mark == "?" && $0.end == "c" }
    if attributes?.parameters.contains(52) == true {
      clipboard = .yes
    } else {
      clipboard =
        replies.devices.contains { $0.hasPrefix("1+r4d73") || $0.hasPrefix("1+r4D73") }
        ? .yes : .unknown
    }
    background = replies.commands.first { $0.hasPrefix("11;") }
      .flatMap { TerminalAnswer.isLight(report: String($0.dropFirst(3))) }
      .map { $0 ? "light" : "dark" }
    let columns = replies.controls.filter { $0.mark == nil && $0.end == "R" }
      .compactMap { $0.parameters.count == 2 ? $0.parameters[1] : nil }
    // With missing responses the others cannot be assigned to their samples.
    let isComplete = columns.count == Self.samples.count
    widths = Self.samples.enumerated().map { index, sample in
      Width(
        name: sample.name, text: sample.text, expected: CellWidth.width(of: sample.text),
        measured: isComplete ? columns[index] - 1 : nil)
    }
  }

  /// Queries the controlling terminal; nil if there is none or the process is in the background.
  ///
  /// Blocks, and discards input typed meanwhile; interactive programs must not use it.
  ///
  /// - Parameter limit: Timeout of the last response. What came later would be typed into the shell.
  public static func query(limit: Duration = .seconds(2)) -> TerminalQueryResult? {
    let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { return nil }
    defer { close(terminal) }
    var former = termios()
    guard tcgetpgrp(terminal) == getpgrp(), tcgetattr(terminal, &former) == 0 else { return nil }
    var raw = former
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(terminal, TCSANOW, &raw)
    // Flush input, so that late responses are not typed into the shell.
    defer { tcsetattr(terminal, TCSAFLUSH, &former) }
    writeAll(Array(questions.utf8), to: terminal)
    return TerminalQueryResult(answers(from: terminal, within: limit))
  }

  private static func answers(from terminal: Int32, within limit: Duration) -> [UInt8] {
    var bytes: [UInt8] = []
    TerminalQuestions.read(from: terminal, until: .now + limit) {
      bytes += $0
      return TerminalResponses(bytes).contains(mark: "?", end: "c")
    }
    return bytes
  }
}

/// What a terminal is asked at the start: its answers count whenever they come, and none is waited
/// for.
///
/// The last question is for the device attributes (DA1), which every terminal answers: after its
/// answer no other will come.
enum TerminalQuestions {
  /// Frames are shown whole (mode 2026) and the desktop's colours reported (mode 2031).
  static let synchronizedMode = 2026
  static let schemeMode = 2031

  static let all =
    "\u{1b}]11;?\u{1b}\\\u{1b}[?u\u{1b}[?\(synchronizedMode)$p\u{1b}[?\(schemeMode)$p\u{1b}[c"

  /// How long after the questions an answer may still come, over a slow connection.
  static let lateLimit = Duration.seconds(2)
  /// How long whoever leaves waits for it.
  static let patience = Duration.milliseconds(100)

  /// Reads and drops what comes until the last answer has come, or until the deadline.
  static func drop(from input: Int32, until deadline: ContinuousClock.Instant) {
    var decoder = KeyDecoder()
    read(from: input, until: deadline) { bytes in
      _ = decoder.feed(bytes, at: .now)
      return decoder.takeAnswers().contains(.attributes)
    }
  }

  /// Reads what a terminal sends until `isDone` says that it was the last, or until the deadline.
  static func read(
    from terminal: Int32, until deadline: ContinuousClock.Instant,
    isDone: (ArraySlice<UInt8>) -> Bool
  ) {
    while true {
      let left = (deadline - .now).inSeconds
      guard left > 0 else { return }
      var waiting = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, Int32((left * 1000).rounded(.up))) > 0 else { return }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = Glibc.read(terminal, &buffer, buffer.count)
      guard count > 0, !isDone(buffer[..<count]) else { return }
    }
  }
}

/// Parsed terminal responses; keys typed meanwhile are ignored.
struct TerminalResponses: Hashable {
  /// A CSI response such as `ESC [ ? 62 ; 22 c`: private mark, parameters and final byte.
  struct Control: Hashable {
    var mark: Character?
    var parameters: [Int]
    var end: Character
  }

  var controls: [Control] = []
  /// Contents of OSC responses, `ESC ] … ST`.
  var commands: [String] = []
  /// Contents of DCS responses, `ESC P … ST`.
  var devices: [String] = []

  init(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while let first = rest.first {
      guard first == 0x1B, rest.count > 1 else {
        rest = rest.dropFirst()
        continue
      }
      switch rest[rest.startIndex + 1] {
      case UInt8(ascii: "["): takeControl(&rest)
      case UInt8(ascii: "]"): if let text = Self.takeText(&rest) { commands.append(text) }
      case UInt8(ascii: "P"): if let text = Self.takeText(&rest) { devices.append(text) }
      default: rest = rest.dropFirst(2)
      }
    }
  }

  private mutating func takeControl(_ rest: inout ArraySlice<UInt8>) {
    let body = rest.dropFirst(2)
    // Parameter and intermediate bytes (ECMA-48).
    guard let end = body.firstIndex(where: { !(0x20...0x3F).contains($0) }) else {
      rest = []
      return
    }
    var text = String(decoding: body[..<end], as: UTF8.self)
    var mark: Character?
    if let first = text.first, "?>=<".contains(first) { mark = text.removeFirst() }
    let numbers = text.filter { $0.isNumber || $0 == ";" }
    controls.append(
      Control(
        mark: mark,
        parameters: numbers.split(separator: ";", omittingEmptySubsequences: false)
          .map { Int($0) ?? 0 }, end: Character(Unicode.Scalar(body[end]))))
    rest = rest[(end + 1)...]
  }

  /// The contents up to BEL or ST; nil if unterminated.
  private static func takeText(_ rest: inout ArraySlice<UInt8>) -> String? {
    let body = rest.dropFirst(2)
    for index in body.indices {
      let isBell = body[index] == 0x07
      guard isBell || body[index...].starts(with: [0x1B, 0x5C]) else { continue }
      rest = rest[(index + (isBell ? 1 : 2))...]
      return String(decoding: body[..<index], as: UTF8.self)
    }
    rest = []
    return nil
  }

  package func contains(mark: Character?, end: Character) -> Bool {
    controls.contains { $0.mark == mark && $0.end == end }
  }
}
