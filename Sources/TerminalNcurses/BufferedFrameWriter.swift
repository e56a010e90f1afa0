import CTerminalGuard
import Glibc

/// Sends each frame to the terminal in a single write.
///
/// ncurses writes after every cursor movement. Moving a selection takes six writes. Each wakes the
/// terminal or is a packet of its own over SSH, and shows a partial frame. While a frame is drawn,
/// ncurses' file descriptor is redirected to a memory file, which is then written at once.
@MainActor final class BufferedFrameWriter {
  /// The descriptor that ncurses writes to.
  private let descriptor: Int32
  /// A duplicate that always refers to the terminal.
  private let terminal: Int32
  private let memory: Int32
  /// Whether the terminal shows a frame only once it has ended (mode 2026).
  var isSynchronized = false

  /// - Returns: nil if the system has no memory files (memfd); frames are then not buffered.
  init?(descriptor: Int32) {
    let memory = rally_guard_memory_file()
    let terminal = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard memory >= 0, terminal >= 0 else {
      if memory >= 0 { Glibc.close(memory) }
      if terminal >= 0 { Glibc.close(terminal) }
      return nil
    }
    self.descriptor = descriptor
    self.terminal = terminal
    self.memory = memory
  }

  /// Collects ncurses' output during `draw` and sends it, followed by the text that `draw` returns.
  ///
  /// - Parameters:
  ///   - first: What is sent before it.
  ///   - numbers: What the numbers of its colours stand for, once it is drawn.
  /// - Returns: False if the terminal is gone.
  func gather(
    after first: String, numbers: @autoclosure () -> ColorNumbers?, _ draw: () -> String
  ) -> Bool {
    guard rally_guard_lead(descriptor, memory) >= 0 else {
      guard writeAll(Array(first.utf8), to: terminal) else { return false }
      return writeAll(Array(draw().utf8), to: terminal)
    }
    let rest = draw()
    _ = rally_guard_lead(descriptor, terminal)
    let length = Int(max(0, lseek(memory, 0, SEEK_CUR)))
    _ = lseek(memory, 0, SEEK_SET)
    let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      count = length == 0 ? 0 : max(0, pread(memory, buffer.baseAddress, length, 0))
    }
    let frame =
      Array(first.utf8)
      + RepeatedAttributes.removed(from: bytes, numbers: numbers()) + Array(rest.utf8)
    guard isSynchronized, !frame.isEmpty else { return writeAll(frame, to: terminal) }
    return writeAll(Self.frameBegin + frame + Self.frameEnd, to: terminal)
  }

  private static let frameBegin = Array("\u{1b}[?2026h".utf8)
  private static let frameEnd = Array("\u{1b}[?2026l".utf8)

  func close() {
    Glibc.close(memory)
    Glibc.close(terminal)
  }
}

/// Writes all bytes, retrying after EINTR and EAGAIN.
///
/// - Returns: False if the terminal is gone.
@discardableResult
func writeAll(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Bool {
  rally_guard_enter()
  defer { rally_guard_leave() }
  var rest = ArraySlice(bytes)
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    if count < 0, errno == EAGAIN {
      // Another process has made the terminal non-blocking; wait until it is writable.
      var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      if poll(&ready, 1, -1) >= 0 || errno == EINTR, ready.revents & Int16(POLLERR | POLLNVAL) == 0
      {
        continue
      }
      return false
    }
    guard count > 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}

/// Removes from a frame what sets attributes that are set already, and sets the others in the
/// shortest way.
///
/// ncurses sends both colours whenever one of them changes: a third of the bytes of a painted map.
/// It resets all attributes and the character set before it sets some: a fifth of the bytes of a
/// moved selection.
///
/// At a frame's beginning nothing is known. Attributes are sent before something is drawn that
/// shows them, not before the cursor moves or a blank that looks the same without.
struct RepeatedAttributes {
  private var kept: [UInt8] = []
  /// What the terminal has, and what the next characters are to have.
  private var sent = GraphicRendition()
  private var wanted = GraphicRendition()
  /// ncurses' sequences from the one to the other.
  private var pending: [UInt8] = []
  /// The last sequence that chose a character set.
  private var characterSet: ArraySlice<UInt8>?
  /// What the numbers of colours stand for; nil where they are the terminal's.
  private let numbers: ColorNumbers?

  private init(_ numbers: ColorNumbers?) { self.numbers = numbers }

  private static let escape: UInt8 = 0x1B

  /// - Parameter numbers: Have their colours chosen in place of them.
  static func removed(from bytes: [UInt8], numbers: ColorNumbers? = nil) -> [UInt8] {
    var attributes = RepeatedAttributes(numbers)
    attributes.kept.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let end = pieceEnd(from: index, in: bytes)
      attributes.take(bytes[index..<end])
      index = end
    }
    attributes.send()
    return attributes.kept
  }

  /// The end of the escape sequence or of the characters that begin there, or of the one control.
  private static func pieceEnd(from start: Int, in bytes: [UInt8]) -> Int {
    guard bytes[start] < 0x20 else {
      return bytes[start...].firstIndex { $0 < 0x20 } ?? bytes.count
    }
    guard bytes[start] == escape, start + 1 < bytes.count else { return start + 1 }
    switch bytes[start + 1] {
    case UInt8(ascii: "["):
      let final = bytes[(start + 2)...].firstIndex { !(0x20...0x3F).contains($0) }
      return final.map { $0 + 1 } ?? bytes.count
    case UInt8(ascii: "]"):
      // A title or a link ends with BEL or ESC \.
      let end = bytes[(start + 2)...].firstIndex { $0 == 0x07 || $0 == escape }
      return end.map { bytes[$0] == escape ? min($0 + 2, bytes.count) : $0 + 1 } ?? bytes.count
    case 0x20...0x2F: return min(start + 3, bytes.count)
    default: return start + 2
    }
  }

  private mutating func take(_ piece: ArraySlice<UInt8>) {
    switch Kind(of: piece) {
    case .attributes:
      var parameters = piece.dropFirst(2).dropLast()
      if let colors = numbers?.replaced(parameters) { parameters = colors[...] }
      pending += piece.prefix(2) + parameters + piece.suffix(1)
      if !wanted.apply(parameters) { sendPending() }
    case .characterSet:
      guard piece != characterSet else { return }
      characterSet = piece
      send()
      kept += piece
    case .movement: kept += piece
    case .other:
      let blanks =
        !pending.isEmpty && wanted.looksOnBlanksAs(sent) ? piece.prefix { $0 == 0x20 } : []
      kept += blanks
      guard blanks.count < piece.count else { return }
      send()
      kept += piece.dropFirst(blanks.count)
    }
  }

  private mutating func send() {
    guard !pending.isEmpty else { return }
    if let sequence = wanted.sequence(after: sent), sequence.count < pending.count {
      pending = sequence
    }
    sendPending()
  }

  private mutating func sendPending() {
    kept += pending
    pending.removeAll(keepingCapacity: true)
    sent = wanted
  }

  private enum Kind {
    case attributes, characterSet, movement, other

    init(of piece: ArraySlice<UInt8>) {
      let control = piece.dropFirst().first.map(Unicode.Scalar.init)
      switch (piece.first, control) {
      case (RepeatedAttributes.escape, "["):
        switch piece.last.map(Unicode.Scalar.init) {
        case "m": self = .attributes
        case "A", "B", "C", "D", "G", "H", "d": self = .movement
        default: self = .other
        }
      case (RepeatedAttributes.escape, "("), (RepeatedAttributes.escape, ")"), (0x0E, _),
        (0x0F, _):
        // A designation (ESC ( B), shift out, shift in.
        self = .characterSet
      case (0x08, _), (0x0D, _): self = .movement
      default: self = .other
      }
    }
  }
}

/// The attributes that a terminal draws characters with, as far as they are known (ECMA-48, 8.3.117
/// SGR; colours beyond the first eight as xterm writes them).
struct GraphicRendition: Equatable {
  /// Bit N is what parameter N sets, 1–9; nil while unknown.
  private var flags: UInt16?
  /// The parameters that set the colour, such as `38;5;124`; nil while unknown.
  private var foreground: ArraySlice<UInt8>?
  private var background: ArraySlice<UInt8>?

  /// What parameter 0 sets.
  private static let standard = GraphicRendition(
    flags: 0, foreground: Array("39".utf8)[...], background: Array("49".utf8)[...])
  private static let begin: [UInt8] = [0x1B, UInt8(ascii: "[")]
  private static let separator = UInt8(ascii: ";")
  private static let end = [UInt8(ascii: "m")]

  /// Underlined, reversed and struck out: bits 4, 7 and 9.
  private static let onBlanks: UInt16 = 1 << 4 | 1 << 7 | 1 << 9
  private static let reversed: UInt16 = 1 << 7

  /// Whether a blank looks the same with these attributes and with the others: neither its
  /// intensity nor, unless reversed, its foreground is seen.
  func looksOnBlanksAs(_ other: GraphicRendition) -> Bool {
    guard let flags, let others = other.flags, let background, background == other.background else {
      return false
    }
    return (flags ^ others) & Self.onBlanks == 0 && flags & Self.reversed == 0
  }

  /// Takes the parameters of one SGR sequence in.
  ///
  /// - Returns: False, with nothing known any more, if they are not understood or add to attributes
  ///   that are unknown.
  mutating func apply(_ parameters: ArraySlice<UInt8>) -> Bool {
    var rest = parameters
    repeat {
      let first = rest.startIndex
      guard let code = Self.number(&rest) else { return forget() }
      switch code {
      case 0: self = Self.standard
      case 1...9:
        guard let flags else { return forget() }
        self.flags = flags | 1 << code
      case 38, 48:
        guard Self.skipExtendedColor(&rest) else { return forget() }
        fallthrough
      case 30...37, 39, 90...97, 40...47, 49, 100...107:
        let color = parameters[first..<rest.startIndex]
        if code < 40 || code / 10 == 9 { foreground = color } else { background = color }
      default: return forget()
      }
    } while rest.popFirst() != nil
    return true
  }

  private mutating func forget() -> Bool {
    self = GraphicRendition()
    return false
  }

  /// Consumes `;5;N` or `;2;R;G;B`.
  private static func skipExtendedColor(_ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.popFirst() != nil, let kind = number(&rest), kind == 2 || kind == 5 else {
      return false
    }
    return (0..<(kind == 2 ? 3 : 1)).allSatisfy { _ in
      rest.popFirst() != nil && number(&rest) != nil
    }
  }

  /// Consumes digits up to a separator or the end; none are 0.
  ///
  /// - Returns: nil if something else stands there.
  private static func number(_ rest: inout ArraySlice<UInt8>) -> Int? {
    var number = 0
    while let digit = rest.first, digit != separator {
      guard (0x30...0x39).contains(digit), number < 1000 else { return nil }
      number = number * 10 + Int(digit - 0x30)
      rest.removeFirst()
    }
    return number
  }

  /// The shortest SGR sequence that gives these attributes to a terminal that has `old`.
  ///
  /// - Returns: nil if there is none as long as something is unknown.
  func sequence(after old: GraphicRendition) -> [UInt8]? {
    guard self != old else { return [] }
    guard self != Self.standard else { return Self.begin + Self.end }
    let additions = sequence(Self.begin, addingTo: old)
    guard flags != nil, foreground != nil, background != nil,
      let whole = sequence(Self.begin + [0x30], addingTo: Self.standard),
      whole.count < additions?.count ?? .max
    else { return additions }
    return whole
  }

  /// The sequence that adds these attributes to `old`.
  ///
  /// - Parameter beginning: The introducer, perhaps with a first parameter.
  /// - Returns: nil if `old` has one that would have to go.
  private func sequence(_ beginning: [UInt8], addingTo old: GraphicRendition) -> [UInt8]? {
    var sequence = beginning
    if flags != old.flags {
      guard let flags, let oldFlags = old.flags, flags & oldFlags == oldFlags else { return nil }
      for code in 1...9 as ClosedRange<UInt8> where (flags ^ oldFlags) & 1 << code != 0 {
        Self.append([0x30 + code], to: &sequence)
      }
    }
    if foreground != old.foreground, let foreground { Self.append(foreground, to: &sequence) }
    if background != old.background, let background { Self.append(background, to: &sequence) }
    return sequence + Self.end
  }

  private static func append(_ parameter: ArraySlice<UInt8>, to sequence: inout [UInt8]) {
    if sequence.count > begin.count { sequence.append(separator) }
    sequence += parameter
  }
}
