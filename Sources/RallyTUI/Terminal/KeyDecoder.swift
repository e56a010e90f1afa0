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
  private var paste: PasteCollector?
  /// Whether an answer of the terminal goes on that is too long, or too slow, to be kept.
  private var isInAnswer = false
  private var waitingSince: Instant?
  private var lastBytes: Instant?

  /// No key's sequence is longer; what is, is garbage.
  static let sequenceLimit = 4096
  /// How long the rest of what nobody types is waited for: half a character, a sequence that has begun.
  static let patience: Duration = .milliseconds(500)
  /// After this silence an answer of the terminal is over, and Esc or ^C alone leaves a paste whose end
  /// was lost, so that a broken connection makes nobody deaf.
  static let silence: Duration = .seconds(1)

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
  public var deadline: Instant? {
    guard let waitingSince else { return nil }
    if isInAnswer { return waitingSince.advanced(by: Self.silence) }
    // An Esc, or Esc and a letter, may have been typed.
    let isTyped = buffer.count <= 2 && buffer.first == 0x1B && paste == nil
    return waitingSince.advanced(by: isTyped ? escapeDelay : max(escapeDelay, Self.patience))
  }

  /// Decodes what is complete and keeps the rest.
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

  /// Decides what has waited for too long: an Esc is an Esc, half a character is nothing.
  public mutating func flush(at now: Instant) -> [InputEvent] {
    guard let deadline, now >= deadline else { return [] }
    waitingSince = nil
    if paste != nil { return leavePaste() }
    if isInAnswer {
      isInAnswer = false
      buffer = []
      return []
    }
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
        guard let end = AnswerString.end(in: rest, from: rest.startIndex) else {
          // An Esc at the end may be the first half of what ends it.
          position = rest.last == 0x1B ? buffer.count - 1 : buffer.count
          break
        }
        isInAnswer = false
        position = end
        continue
      }
      switch step(rest, isFinal) {
      case .event(let event, let length):
        if let event { events.append(event) }
        position += length
      case .pasteBegins(let length):
        paste = PasteCollector()
        position += length
      case .answerGoesOn:
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
    /// The rest is dropped until it ends.
    case answerGoesOn
    case incomplete
  }

  private func step(_ bytes: ArraySlice<UInt8>, _ isFinal: Bool) -> Step {
    guard bytes.first == 0x1B else { return TypedByte.step(bytes, isFinal) }
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
      return AnswerString.step(bytes, isFinal)
    case 0x1B: return .event(.key(KeyChord(.escape)), length: 1)
    default:
      guard case .event(let event, let length) = TypedByte.step(bytes.dropFirst(), isFinal) else {
        return .incomplete
      }
      guard case .key(var chord)? = event else {
        // What follows is no character: the Esc stood alone.
        return .event(.key(KeyChord(.escape)), length: 1)
      }
      chord.modifiers.insert(.alt)
      return .event(.key(chord), length: length + 1)
    }
  }

  /// `ESC O`, perhaps a number that tells what is held, and a letter.
  private func ss3(_ bytes: ArraySlice<UInt8>, _ isFinal: Bool) -> Step {
    let numbers = bytes.dropFirst(2).prefix { (0x30...0x3B).contains($0) }
    let letter = bytes.startIndex + 2 + numbers.count
    guard letter < bytes.endIndex, numbers.count <= 4 else {
      // Alt and O, and perhaps digits that were typed afterwards.
      return isFinal || numbers.count > 4 ? .event(.key(.alt("O")), length: 2) : .incomplete
    }
    guard (0x40...0x7E).contains(bytes[letter]) else {
      return .event(.key(.alt("O")), length: 2)
    }
    let parameters = SequenceParameters(numbers)
    let modifier = parameters.flatMap { $0[$0.count - 1] }
    return .event(
      ControlSequence.ss3(bytes[letter], modifier: modifier).map { .key($0) },
      length: 3 + numbers.count)
  }
}

extension ControlSequence.Parsed {
  /// What a parsed sequence does to the decoder.
  fileprivate func step(_ isFinal: Bool) -> KeyDecoder.Step {
    switch self {
    // A `[` after Esc and then nothing: Alt-[ when time is up.
    case .onlyIntroducer: isFinal ? .event(.key(.alt("[")), length: 2) : .incomplete
    case .incomplete(let length):
      // Cut off for good, or longer than any sequence is.
      isFinal || length > KeyDecoder.sequenceLimit ? .event(nil, length: length) : .incomplete
    case .pasteBegins(let length): .pasteBegins(length: length)
    case .event(let event, let length): .event(event, length: length)
    }
  }
}
