/// Answers of a terminal that carry text (OSC, DCS, APC, PM, SOS): they end with BEL or `ESC \` and are no
/// keys. Source: ECMA-48, control strings, and xterm's BEL.
enum AnswerString {
  /// What is longer is dropped as it comes.
  private static let limit = 4096

  static func step(_ bytes: ArraySlice<UInt8>, _ isFinal: Bool) -> KeyDecoder.Step {
    if let end = end(in: bytes, from: bytes.startIndex + 2) {
      return .event(nil, length: end - bytes.startIndex)
    }
    guard isFinal || bytes.count > limit else { return .incomplete }
    // Somebody pressed Alt and the letter: nothing came after it.
    if bytes.count == 2, let letter = bytes.last {
      return .event(.key(.alt(Character(Unicode.Scalar(letter)))), length: 2)
    }
    return .answerGoesOn
  }

  /// Where the next thing begins; nil where the string goes on, also when all that may be missing is the
  /// second half of its end.
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
