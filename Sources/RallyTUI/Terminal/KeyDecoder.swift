/// Turns the bytes of a terminal into events.
///
/// A value that takes the time: bytes may be cut anywhere, and what is not yet clear (an Esc that
/// may begin a sequence) is decided by the next bytes or by `flush` once `deadline` has passed.
/// Sequences that mean nothing are dropped whole and never typed.
public struct KeyDecoder: Sendable {
  public typealias Instant = ContinuousClock.Instant

  /// How long an Esc waits for the rest of a sequence.
  public let escapeDelay: Duration

  private var buffer: [UInt8] = []
  private var sequences: KeySequences
  private var pasted: [UInt8]?
  private var waitingSince: Instant?

  /// A paste that never ends is handed over at this many bytes and goes on as another.
  static let pasteLimit = 8 << 20
  /// No sequence is longer; what is, is garbage.
  static let sequenceLimit = 128

  /// - Parameters:
  ///   - escapeDelay: 25 ms is less than anybody notices; 50 suits a connection that stutters.
  ///   - terminfo: Sequences this terminal sends, beside those of xterm that all know.
  public init(
    escapeDelay: Duration = .milliseconds(25), terminfo: [(bytes: [UInt8], chord: KeyChord)] = []
  ) {
    self.escapeDelay = escapeDelay
    sequences = KeySequences(terminfo)
  }

  /// When `flush` should be called if no bytes come; nil when nothing waits.
  public var deadline: Instant? { waitingSince?.advanced(by: escapeDelay) }

  /// Decodes what is complete and keeps the rest.
  public mutating func feed(_ bytes: some Sequence<UInt8>, at now: Instant) -> [InputEvent] {
    var events = flush(at: now)
    buffer.append(contentsOf: bytes)
    events += decode(isFinal: false)
    waitingSince = buffer.isEmpty || pasted != nil ? nil : now
    return events
  }

  /// Decides what has waited for too long: an Esc is an Esc, half a character is nothing.
  public mutating func flush(at now: Instant) -> [InputEvent] {
    guard let deadline, now >= deadline else { return [] }
    waitingSince = nil
    return decode(isFinal: true)
  }

  private mutating func decode(isFinal: Bool) -> [InputEvent] {
    var events: [InputEvent] = []
    var position = 0
    while position < buffer.count {
      if pasted != nil {
        guard let next = takePaste(from: position, &events) else {
          position = buffer.count
          break
        }
        position = next
        continue
      }
      switch step(buffer[position...], isFinal) {
      case .event(let event, let length):
        if let event { events.append(event) }
        position += length
      case .pasteBegins(let length):
        pasted = []
        position += length
      case .incomplete:
        buffer.removeFirst(position)
        return events
      }
    }
    buffer.removeAll(keepingCapacity: buffer.count < 65_536)
    buffer += held
    held = []
    return events
  }

  fileprivate enum Step {
    case event(InputEvent?, length: Int)
    case pasteBegins(length: Int)
    case incomplete
  }

  // MARK: Paste

  private static let pasteEnd: [UInt8] = Array("\u{1b}[201~".utf8)
  /// The beginning of what may be the end of a paste, kept for the next bytes.
  private var held: [UInt8] = []

  /// Collects pasted bytes; returns where they end, or nil when they go on.
  private mutating func takePaste(from position: Int, _ events: inout [InputEvent]) -> Int? {
    let end = Self.pasteEnd
    var scan = position
    while let escape = buffer[scan...].firstIndex(of: 0x1B) {
      let rest = buffer[escape...]
      if rest.starts(with: end) {
        pasted?.append(contentsOf: buffer[position..<escape])
        finishPaste(&events)
        pasted = nil
        return escape + end.count
      }
      if rest.count < end.count, end.starts(with: rest) {
        pasted?.append(contentsOf: buffer[position..<escape])
        held = Array(rest)
        return nil
      }
      scan = escape + 1
    }
    pasted?.append(contentsOf: buffer[position...])
    if (pasted?.count ?? 0) > Self.pasteLimit {
      finishPaste(&events)
      pasted = []
    }
    return nil
  }

  private func finishPaste(_ events: inout [InputEvent]) {
    guard let pasted, !pasted.isEmpty else { return }
    events.append(.paste(String(decoding: pasted, as: UTF8.self)))
  }

  // MARK: Keys

  private func step(_ bytes: ArraySlice<UInt8>, _ isFinal: Bool) -> Step {
    guard let first = bytes.first else { return .incomplete }
    if first == 0x1B { return escape(bytes, isFinal) }
    return plain(bytes, isFinal)
  }

  private func escape(_ bytes: ArraySlice<UInt8>, _ isFinal: Bool) -> Step {
    switch sequences.find(bytes) {
    case .found(let chord, let length): return .event(.key(chord), length: length)
    case .prefix where !isFinal: return .incomplete
    default: break
    }
    guard bytes.count > 1 else {
      return isFinal ? .event(.key(KeyChord(.escape)), length: 1) : .incomplete
    }
    switch bytes[bytes.startIndex + 1] {
    case UInt8(ascii: "["): return ControlSequence.parse(bytes).step(isFinal) ?? lone(isFinal)
    case UInt8(ascii: "O"):
      guard bytes.count > 2 else {
        return isFinal ? .event(.key(.alt("O")), length: 2) : .incomplete
      }
      return .event(ControlSequence.ss3(bytes[bytes.startIndex + 2]).map { .key($0) }, length: 3)
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"),
      UInt8(ascii: "X"):
      return answer(bytes, isFinal)
    case 0x1B: return .event(.key(KeyChord(.escape)), length: 1)
    default:
      guard case .event(.key(var chord)?, let length) = plain(bytes.dropFirst(), isFinal) else {
        return isFinal ? .event(.key(KeyChord(.escape)), length: 1) : .incomplete
      }
      chord.modifiers.insert(.alt)
      return .event(.key(chord), length: length + 1)
    }
  }

  /// A `[` after Esc and then nothing: Alt-[ when time is up.
  private func lone(_ isFinal: Bool) -> Step {
    isFinal ? .event(.key(.alt("[")), length: 2) : .incomplete
  }

  /// Answers of the terminal (OSC, DCS, APC, PM, SOS) end with BEL or ST and are no keys.
  private func answer(_ bytes: ArraySlice<UInt8>, _ isFinal: Bool) -> Step {
    var index = bytes.startIndex + 2
    while index < bytes.endIndex {
      if bytes[index] == 0x07 { return .event(nil, length: index + 1 - bytes.startIndex) }
      if bytes[index] == 0x1B {
        guard index + 1 < bytes.endIndex else { break }
        let isEnd = bytes[index + 1] == UInt8(ascii: "\\")
        return .event(nil, length: index + (isEnd ? 2 : 0) - bytes.startIndex)
      }
      index += 1
    }
    guard isFinal || bytes.count > 4096 else { return .incomplete }
    // Somebody pressed Alt and the letter: nothing came after it.
    if bytes.count == 2, let letter = Unicode.Scalar(UInt32(bytes[bytes.startIndex + 1])) {
      return .event(.key(.alt(Character(letter))), length: 2)
    }
    return .event(nil, length: bytes.count)
  }

  private func plain(_ bytes: ArraySlice<UInt8>, _ isFinal: Bool) -> Step {
    guard let first = bytes.first else { return .incomplete }
    switch first {
    case 0x0D, 0x0A: return .event(.key(KeyChord(.enter)), length: 1)
    case 0x09: return .event(.key(KeyChord(.tab)), length: 1)
    case 0x7F: return .event(.key(KeyChord(.backspace)), length: 1)
    case 0x00: return .event(.key(KeyChord(.character(" "), .control)), length: 1)
    case 0x01...0x1A:
      return .event(.key(.control(Character(Unicode.Scalar(first + 0x60)))), length: 1)
    case 0x1C...0x1F:
      return .event(.key(.control(Character(Unicode.Scalar(first + 0x40)))), length: 1)
    case 0x20..<0x7F: return .event(.key(.character(Character(Unicode.Scalar(first)))), length: 1)
    default: return utf8(bytes, isFinal)
    }
  }

  private func utf8(_ bytes: ArraySlice<UInt8>, _ isFinal: Bool) -> Step {
    let first = bytes[bytes.startIndex]
    let length =
      switch first {
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

extension ControlSequence.Parsed {
  /// What a parsed sequence does to the decoder; nil when only `ESC [` is there.
  fileprivate func step(_ isFinal: Bool) -> KeyDecoder.Step? {
    switch self {
    case .onlyIntroducer: nil
    case .incomplete(let length):
      // Cut off for good, or longer than any sequence is.
      isFinal || length > KeyDecoder.sequenceLimit ? .event(nil, length: length) : .incomplete
    case .pasteBegins(let length): .pasteBegins(length: length)
    case .event(let event, let length): .event(event, length: length)
    }
  }
}
