/// Parses a terminal's byte stream into actions.
///
/// Keeps unfinished sequences and unfinished UTF-8 between reads. Follows the relevant parts of the
/// state diagram of DEC's VT500 parser (vt100.net/emu/dec_ansi_parser).
struct EscapeParser: Sendable {
  enum Action: Equatable, Sendable {
    case print(Unicode.Scalar)
    case control(UInt8)
    /// ESC, intermediate bytes, a final byte.
    case escape(intermediates: [UInt8], final: UInt8)
    case sequence(EscapeSequence)
    /// The content of OSC, without its terminator.
    case systemCommand(String)
    /// The content of DCS, APC, PM or SOS; ignored here.
    case deviceString(String)
  }

  private enum State { case ground, escape, sequence, systemCommand, deviceString, stringEnd }

  private var state = State.ground
  private var sequence = EscapeSequence()
  private var intermediates: [UInt8] = []
  private var text: [UInt8] = []
  private var textIsCommand = false
  private var utf8: [UInt8] = []

  mutating func parse(_ bytes: some Sequence<UInt8>, _ act: (Action) -> Void) {
    for byte in bytes { parse(byte, act) }
  }

  private mutating func parse(_ byte: UInt8, _ act: (Action) -> Void) {
    if state == .ground, !utf8.isEmpty || byte >= 0x80 {
      parseUTF8(byte, act)
      return
    }
    switch state {
    case .systemCommand, .deviceString:
      switch byte {
      case 0x07 where state == .systemCommand: finishText(act)
      case 0x1B: state = .stringEnd
      case 0x18, 0x1A: state = .ground
      default: text.append(byte)
      }
    case .stringEnd:
      finishText(act)
      if byte != UInt8(ascii: "\\") {
        state = .escape
        parse(byte, act)
      }
    case _ where byte == 0x1B:
      state = .escape
      intermediates = []
    case _ where byte == 0x18 || byte == 0x1A:
      state = .ground
    case _ where byte < 0x20:
      act(.control(byte))
    case .ground:
      if byte != 0x7F { act(.print(Unicode.Scalar(byte))) }
    case .escape:
      parseEscape(byte, act)
    case .sequence:
      parseSequence(byte, act)
    }
  }

  private mutating func parseEscape(_ byte: UInt8, _ act: (Action) -> Void) {
    switch byte {
    case 0x20...0x2F:
      intermediates.append(byte)
    case UInt8(ascii: "[") where intermediates.isEmpty:
      sequence = EscapeSequence()
      state = .sequence
    case UInt8(ascii: "]") where intermediates.isEmpty:
      beginText(.systemCommand)
    case UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"), UInt8(ascii: "X"):
      guard intermediates.isEmpty else { fallthrough }
      beginText(.deviceString)
    default:
      state = .ground
      act(.escape(intermediates: intermediates, final: byte))
    }
  }

  private mutating func parseSequence(_ byte: UInt8, _ act: (Action) -> Void) {
    switch byte {
    case 0x30...0x39: sequence.append(digit: Int(byte - 0x30))
    case UInt8(ascii: ":"), UInt8(ascii: ";"): sequence.nextParameter()
    case 0x3C...0x3F: sequence.prefix = byte
    case 0x20...0x2F: sequence.intermediates.append(byte)
    default:
      sequence.final = byte
      state = .ground
      act(.sequence(sequence))
    }
  }

  private mutating func beginText(_ kind: State) {
    text = []
    textIsCommand = kind == .systemCommand
    state = kind
  }

  private mutating func finishText(_ act: (Action) -> Void) {
    let content = String(decoding: text, as: UTF8.self)
    state = .ground
    act(textIsCommand ? .systemCommand(content) : .deviceString(content))
  }

  private mutating func parseUTF8(_ byte: UInt8, _ act: (Action) -> Void) {
    if !utf8.isEmpty, byte & 0xC0 != 0x80 {
      utf8 = []
      act(.print("\u{FFFD}"))
      parse(byte, act)
      return
    }
    utf8.append(byte)
    let length =
      switch utf8[0] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    guard utf8.count == length else { return }
    let scalars = String(decoding: utf8, as: UTF8.self).unicodeScalars
    utf8 = []
    for scalar in scalars { act(.print(scalar)) }
  }
}

/// `CSI prefix parameters intermediates final`.
struct EscapeSequence: Equatable, Sendable {
  var prefix: UInt8?
  var parameters: [Int?] = [nil]
  var intermediates: [UInt8] = []
  var final: UInt8 = 0

  /// The parameter at `index`; `missing` if absent or zero, as for movements and counts.
  func count(_ index: Int = 0, missing: Int = 1) -> Int {
    guard index < parameters.count, let value = parameters[index], value != 0 else {
      return missing
    }
    return value
  }

  /// The parameter at `index`; zero if absent, as for selectors.
  func selector(_ index: Int = 0) -> Int {
    index < parameters.count ? parameters[index] ?? 0 : 0
  }

  mutating func append(digit: Int) {
    let last = parameters.count - 1
    parameters[last] = min((parameters[last] ?? 0) * 10 + digit, 99_999)
  }

  mutating func nextParameter() { parameters.append(nil) }
}
