/// Gathers the bytes of one paste until its end, `ESC [ 201 ~`, wherever that is cut.
struct PasteCollector: Sendable {
  private var bytes: [UInt8] = []

  /// A paste that never ends is handed over at this many bytes and goes on as another.
  static let limit = 8 << 20
  private static let end: [UInt8] = Array("\u{1b}[201~".utf8)

  struct Taken {
    /// What was pasted, where it has ended or grown too long.
    var text: String?
    /// Whether the end of the paste was among the bytes.
    var hasEnded = false
    /// How many bytes were used; the rest may be the beginning of the end.
    var count: Int
  }

  mutating func take(_ buffer: ArraySlice<UInt8>) -> Taken {
    let end = Self.end
    var scan = buffer.startIndex
    while let escape = buffer[scan...].firstIndex(of: 0x1B) {
      let rest = buffer[escape...]
      if rest.starts(with: end) {
        bytes += buffer[..<escape]
        return Taken(
          text: finish(), hasEnded: true, count: escape + end.count - buffer.startIndex)
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

  /// What was pasted so far; nil when that is nothing.
  mutating func finish() -> String? {
    guard !bytes.isEmpty else { return nil }
    defer { bytes = [] }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Hands over what is too long to wait for, but no half of a character.
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
