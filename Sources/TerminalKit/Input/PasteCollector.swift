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
