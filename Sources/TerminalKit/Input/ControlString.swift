/// Decodes control strings (OSC, DCS, APC, PM, SOS) that a terminal sends as responses. They end
/// with BEL or `ESC \` and are not keys. Source: ECMA-48, control strings; BEL is xterm's.
enum ControlString {
  /// Longer strings are discarded as they arrive.
  private static let limit = 4096

  static func step(_ bytes: ArraySlice<UInt8>, _ isFinal: Bool) -> KeyDecoder.Step {
    if let end = end(in: bytes, from: bytes.startIndex + 2) {
      return .event(nil, length: end - bytes.startIndex)
    }
    guard isFinal || bytes.count > limit else { return .incomplete }
    // Nothing followed: the person pressed Alt and the letter.
    if bytes.count == 2, let letter = bytes.last {
      return .event(.key(.alt(Character(Unicode.Scalar(letter)))), length: 2)
    }
    return .answerGoesOn
  }

  /// The index after the string's end; nil if it is incomplete, including when only the second byte
  /// of `ESC \` is missing.
  static func end(in bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
    for index in start..<bytes.endIndex {
      switch bytes[index] {
      case 0x07, 0x18, 0x1A: return index + 1
      case 0x1B:
        guard index + 1 < bytes.endIndex else { return nil }
        return bytes[index + 1] == UInt8(ascii: "\\") ? index + 2 : index
      default: continue
      }
    }
    return nil
  }
}
