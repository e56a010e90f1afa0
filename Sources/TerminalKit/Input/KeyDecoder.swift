/// Decodes terminal input bytes into events.
///
/// A value type driven by explicit timestamps. Input may be split anywhere; ambiguous input (an Esc
/// that may start a sequence) is resolved by the next bytes, or by `flush` once `deadline` has
/// passed. Unknown sequences are dropped as a whole and never typed.
public struct KeyDecoder: Sendable {
  public typealias Instant = ContinuousClock.Instant

  /// How long to wait after Esc for the rest of a sequence.
  public let escapeDelay: Duration

  private var buffer: [UInt8] = []
  private var sequences: KeySequences
  private var paste: PasteCollector?
  /// Whether a control string is being discarded because it was too long or too slow.
  private var isInAnswer = false
  /// Whether the sequence in the buffer missed its deadline: what completes it is no key any more.
  private var isLate = false
  private let charset: SingleByteCharset?
  private var answers: [TerminalAnswer] = []
  private var waitingSince: Instant?
  private var lastBytes: Instant?

  /// Longer sequences are discarded as garbage; no key's is this long.
  static let sequenceLimit = 4096
  /// How long to wait for the rest of an incomplete UTF-8 character or sequence.
  static let patience: Duration = .milliseconds(500)
  /// After this silence a discarded control string counts as finished, so that a broken connection
  /// does not block input. Esc or ^C alone leaves a paste whose end was lost.
  static let silence: Duration = .seconds(1)
  /// How much longer to wait for the end of a sequence that missed its deadline. Nobody types its
  /// first half by hand, and a connection repeats a lost segment more than once.
  static let lateness: Duration = .seconds(3)

  /// - Parameters:
  ///   - escapeDelay: 25 ms is not noticeable; use 50 ms for connections with jitter.
  ///   - terminfo: Key sequences of this terminal, in addition to xterm's.
  ///   - charset: How bytes that are no UTF-8 are read; nil drops them.
  public init(
    escapeDelay: Duration = .milliseconds(25), terminfo: [(bytes: [UInt8], chord: KeyChord)] = [],
    charset: SingleByteCharset? = nil
  ) {
    self.escapeDelay = escapeDelay
    self.charset = charset
    sequences = KeySequences(terminfo)
  }

  /// When to call `flush` if no more bytes arrive; nil if nothing is pending.
  public var deadline: Instant? {
    guard let waitingSince else { return nil }
    if isInAnswer { return waitingSince.advanced(by: Self.silence) }
    let patience = max(escapeDelay, Self.patience)
    if isLate {
      // The introducer alone may also be Alt and a letter.
      let rest = buffer.count == 2 ? Self.silence : Self.lateness
      return waitingSince.advanced(by: patience + rest)
    }
    // Esc, or Esc and a letter, may have been typed by hand; with a charset of single bytes every
    // byte may be a letter.
    let isTyped =
      paste == nil && !isHalfSequence
      && (buffer.first == 0x1B ? buffer.count <= 2 : charset != nil)
    return waitingSince.advanced(by: isTyped ? escapeDelay : patience)
  }

  /// Whether the buffer begins with `ESC [` or `ESC O`.
  private var isHalfSequence: Bool {
    paste == nil && buffer.count >= 2 && buffer[0] == 0x1B
      && (buffer[1] == UInt8(ascii: "[") || buffer[1] == UInt8(ascii: "O"))
  }

  /// The answers of the terminal that have come since the last call.
  public mutating func takeAnswers() -> [TerminalAnswer] {
    defer { answers = [] }
    return answers
  }

  /// Decodes complete input and buffers the rest.
  public mutating func feed(_ bytes: some Sequence<UInt8>, at now: Instant) -> [InputEvent] {
    var events = flush(at: now)
    let bytes = Array(bytes)
    let isAlone = paste != nil && lastBytes.map { now - $0 >= Self.silence } ?? false
    lastBytes = now
    if isAlone, bytes == [0x03] { return events + leavePaste() }
    buffer += bytes
    events += decode(isFinal: false)
    let isWaiting = paste == nil ? isInAnswer || !buffer.isEmpty : isAlone && bytes == [0x1B]
    waitingSince = isWaiting ? now : nil
    return events
  }

  /// Resolves input whose deadline has passed: a pending Esc becomes the Esc key, an incomplete
  /// character is dropped, and what completes an incomplete sequence later is discarded.
  public mutating func flush(at now: Instant) -> [InputEvent] {
    guard let deadline, now >= deadline else { return [] }
    if isHalfSequence, !isInAnswer, !isLate {
      isLate = true
      return flush(at: now)
    }
    waitingSince = nil
    if paste != nil { return leavePaste() }
    if isInAnswer || isLate && buffer.count > 2 {
      isInAnswer = false
      isLate = false
      buffer = []
      return []
    }
    isLate = false
    let events = decode(isFinal: true)
    if isInAnswer { waitingSince = now }
    return events
  }

  private mutating func decode(isFinal: Bool) -> [InputEvent] {
    var events: [InputEvent] = []
    var position = 0
    decoding: while position < buffer.count {
      let rest = buffer[position...]
      if let taken = paste?.take(rest) {
        if let text = taken.text { events.append(.paste(text)) }
        if taken.hasEnded { paste = nil }
        position += taken.count
        if !taken.hasEnded { break }
        continue
      }
      if isInAnswer {
        guard let end = ControlString.end(in: rest, from: rest.startIndex) else {
          // A trailing Esc may be the first half of the terminator.
          position = rest.last == 0x1B ? buffer.count - 1 : buffer.count
          break
        }
        isInAnswer = false
        position = end
        continue
      }
      switch step(rest, isFinal) {
      case .event(let event, let length):
        if let event, !isLate { events.append(event) }
        if event == nil, let answer = TerminalAnswer(rest.prefix(length)) { answers.append(answer) }
        isLate = false
        position += length
      case .pasteBegins(let length):
        isLate = false
        paste = PasteCollector(charset: charset)
        position += length
      case .answerGoesOn:
        isLate = false
        isInAnswer = true
        position += 2
      case .incomplete: break decoding
      }
    }
    buffer.removeFirst(position)
    if buffer.isEmpty, buffer.capacity > 65_536 { buffer = [] }
    return events
  }

  private mutating func leavePaste() -> [InputEvent] {
    defer {
      paste = nil
      buffer = []
      waitingSince = nil
    }
    return paste?.finish().map { [.paste($0)] } ?? []
  }

  enum Step {
    case event(InputEvent?, length: Int)
    case pasteBegins(length: Int)
    /// Discard bytes until the control string ends.
    case answerGoesOn
    case incomplete
  }

  private func step(_ bytes: ArraySlice<UInt8>, _ isFinal: Bool) -> Step {
    guard bytes.first == 0x1B else { return TypedByte.step(bytes, isFinal, charset) }
    switch sequences.find(bytes) {
    case .found(let chord, let length): return .event(.key(chord), length: length)
    case .prefix where !isFinal: return .incomplete
    default: break
    }
    guard let second = bytes.dropFirst().first else {
      return isFinal ? .event(.key(KeyChord(.escape)), length: 1) : .incomplete
    }
    switch second {
    case UInt8(ascii: "["): return ControlSequence.parse(bytes).step(isFinal)
    case UInt8(ascii: "O"): return ss3(bytes, isFinal)
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"),
      UInt8(ascii: "X"):
      return ControlString.step(bytes, isFinal)
    case 0x1B: return .event(.key(KeyChord(.escape)), length: 1)
    default:
      guard case .event(let event, let length) = TypedByte.step(bytes.dropFirst(), isFinal, charset)
      else { return .incomplete }
      guard case .key(var chord)? = event else {
        // No character follows: it was a single Esc.
        return .event(.key(KeyChord(.escape)), length: 1)
      }
      chord.modifiers.insert(.alt)
      return .event(.key(chord), length: length + 1)
    }
  }

  /// Parses `ESC O`, an optional modifier number, and a letter.
  private func ss3(_ bytes: ArraySlice<UInt8>, _ isFinal: Bool) -> Step {
    let numbers = bytes.dropFirst(2).prefix { (0x30...0x3B).contains($0) }
    let letter = bytes.startIndex + 2 + numbers.count
    guard letter < bytes.endIndex, numbers.count <= 4 else {
      // Alt-O, possibly followed by typed digits.
      return isFinal || numbers.count > 4 ? .event(.key(.alt("O")), length: 2) : .incomplete
    }
    guard (0x40...0x7E).contains(bytes[letter]) else { return .event(.key(.alt("O")), length: 2) }
    let parameters = SequenceParameters(numbers)
    let modifier = parameters.flatMap { $0[$0.count - 1] }
    return .event(
      ControlSequence.ss3(bytes[letter], modifier: modifier).map { .key($0) },
      length: 3 + numbers.count)
  }
}

extension ControlSequence.Parsed {
  /// Converts the result to a decoder step.
  fileprivate func step(_ isFinal: Bool) -> KeyDecoder.Step {
    switch self {
    // `ESC [` and nothing more until the deadline: Alt-[.
    case .onlyIntroducer: isFinal ? .event(.key(.alt("[")), length: 2) : .incomplete
    case .incomplete(let length):
      // Timed out, or longer than any sequence.
      isFinal || length > KeyDecoder.sequenceLimit ? .event(nil, length: length) : .incomplete
    case .pasteBegins(let length): .pasteBegins(length: length)
    case .event(let event, let length): .event(event, length: length)
    }
  }
}

/// Key sequences of one terminal type, from terminfo.
private struct KeySequences: Sendable {
  enum Finding { case found(KeyChord, length: Int), prefix, none }

  private var chords: [[UInt8]: KeyChord] = [:]
  private var prefixes: Set<[UInt8]> = []
  private var longest = 0

  init(_ sequences: [(bytes: [UInt8], chord: KeyChord)]) {
    for (bytes, chord) in sequences where bytes.count > 1 && bytes.first == 0x1B {
      chords[bytes] = chord
      for length in 1..<bytes.count { prefixes.insert(Array(bytes.prefix(length))) }
      longest = max(longest, bytes.count)
    }
  }

  func find(_ bytes: ArraySlice<UInt8>) -> Finding {
    guard longest > 0 else { return .none }
    for length in stride(from: min(longest, bytes.count), through: 2, by: -1) {
      if let chord = chords[Array(bytes.prefix(length))] { return .found(chord, length: length) }
    }
    return bytes.count < longest && prefixes.contains(Array(bytes)) ? .prefix : .none
  }
}

/// Collects the bytes of a bracketed paste until `ESC [ 201 ~`, even if that is split between
/// reads.
struct PasteCollector: Sendable {
  init(charset: SingleByteCharset? = nil) { self.charset = charset }

  private var bytes: [UInt8] = []
  /// How a text that is no UTF-8 is read.
  private let charset: SingleByteCharset?

  /// A longer paste is delivered in chunks of this many bytes.
  static let limit = 8 << 20
  private static let end: [UInt8] = Array("\u{1b}[201~".utf8)

  struct Taken {
    /// The pasted text, if the paste has ended or reached the limit.
    package var text: String?
    /// Whether the end marker was found.
    var hasEnded = false
    /// Number of bytes consumed; the rest may be a partial end marker.
    var count: Int
  }

  mutating func take(_ buffer: ArraySlice<UInt8>) -> Taken {
    let end = Self.end
    var scan = buffer.startIndex
    while let escape = buffer[scan...].firstIndex(of: 0x1B) {
      let rest = buffer[escape...]
      if rest.starts(with: end) {
        bytes += buffer[..<escape]
        return Taken(text: finish(), hasEnded: true, count: escape + end.count - buffer.startIndex)
      }
      if rest.count < end.count, end.starts(with: rest) {
        bytes += buffer[..<escape]
        return Taken(text: overflow(), count: escape - buffer.startIndex)
      }
      scan = escape + 1
    }
    bytes += buffer
    return Taken(text: overflow(), count: buffer.count)
  }

  /// The text collected so far; nil if empty.
  mutating func finish() -> String? {
    guard !bytes.isEmpty else { return nil }
    defer { bytes = [] }
    guard let charset, String(validating: bytes, as: UTF8.self) == nil else {
      return String(decoding: bytes, as: UTF8.self)
    }
    return charset.text(bytes)
  }

  /// Returns the text if it exceeds the limit, without splitting a UTF-8 character.
  private mutating func overflow() -> String? {
    guard bytes.count > Self.limit else { return nil }
    let lead = bytes.suffix(4).lastIndex { $0 & 0xC0 != 0x80 } ?? bytes.endIndex
    let cut = lead < bytes.endIndex && bytes[lead] >= 0xC0 ? lead : bytes.endIndex
    let rest = Array(bytes[cut...])
    bytes.removeSubrange(cut...)
    defer { bytes = rest }
    return finish()
  }
}

/// Decodes keys sent as a UTF-8 character, as a letter of another charset, or as a control byte.
enum TypedByte {
  static func step(
    _ bytes: ArraySlice<UInt8>, _ isFinal: Bool, _ charset: SingleByteCharset?
  ) -> KeyDecoder.Step {
    guard let first = bytes.first else { return .incomplete }
    let chord: KeyChord? =
      switch first {
      case 0x0D, 0x0A: KeyChord(.enter)
      case 0x09: KeyChord(.tab)
      case 0x7F: KeyChord(.backspace)
      case 0x00: KeyChord(.character(" "), .control)
      case 0x01...0x1A: .control(Character(Unicode.Scalar(first + 0x60)))
      case 0x1C...0x1F: .control(Character(Unicode.Scalar(first + 0x40)))
      case 0x20..<0x7F: .character(Character(Unicode.Scalar(first)))
      default: nil
      }
    if let chord { return .event(.key(chord), length: 1) }
    let step = utf8(bytes, isFinal)
    // A letter of UTF-8 is nearly never two letters of another charset: terminals that send UTF-8
    // are understood under a locale that says otherwise.
    guard let charset, case .event(nil, _) = step else { return step }
    return .event(charset[first].map { .key(.character(Character($0))) }, length: 1)
  }

  private static func utf8(_ bytes: ArraySlice<UInt8>, _ isFinal: Bool) -> KeyDecoder.Step {
    let length =
      switch bytes[bytes.startIndex] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    guard length > 1 else { return .event(nil, length: 1) }
    let rest = bytes.dropFirst().prefix(length - 1)
    if let bad = rest.firstIndex(where: { $0 & 0xC0 != 0x80 }) {
      return .event(nil, length: bad - bytes.startIndex)
    }
    guard bytes.count >= length else {
      return isFinal ? .event(nil, length: bytes.count) : .incomplete
    }
    guard let character = String(validating: bytes.prefix(length), as: UTF8.self)?.first,
      let scalar = character.unicodeScalars.first, scalar.value >= 0xA0
    else { return .event(nil, length: length) }
    return .event(.key(.character(character)), length: length)
  }
}

/// A charset whose letters are single bytes, such as ISO 8859-1 or KOI8-R. Its first half is ASCII.
public struct SingleByteCharset: Hashable, Sendable {
  /// What the bytes from 0x80 on mean; nil for those without a letter.
  private let upper: [Unicode.Scalar?]

  /// - Parameter upper: The letters of the bytes from 0x80 on.
  /// - Returns: nil unless there are 128.
  public init?(upper: [Unicode.Scalar?]) {
    guard upper.count == 128 else { return nil }
    // Control characters are no letters: the decoder has dropped them from UTF-8 as well.
    self.upper = upper.map { $0.flatMap { $0.value >= 0xA0 ? $0 : nil } }
  }

  /// The letter of a byte; nil where it has none, and for ASCII's control characters.
  public subscript(byte: UInt8) -> Unicode.Scalar? {
    switch byte {
    case 0x80...: upper[Int(byte) - 0x80]
    case 0x20..<0x7F: Unicode.Scalar(byte)
    default: nil
    }
  }

  /// A text in this charset; bytes without a letter become U+FFFD, control characters stay.
  public func text(_ bytes: some Sequence<UInt8>) -> String {
    var scalars = String.UnicodeScalarView()
    for byte in bytes {
      scalars.append(byte < 0x80 ? Unicode.Scalar(byte) : self[byte] ?? "\u{FFFD}")
    }
    return String(scalars)
  }
}
