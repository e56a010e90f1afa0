/// What a terminal answers to a question, or reports of itself.
public enum TerminalAnswer: Hashable, Sendable {
  /// The background colour (OSC 11): whether it is light.
  case background(isLight: Bool)
  /// The desktop switched to light or dark colours (mode 2031).
  case scheme(isLight: Bool)
  /// The flags of kitty's keyboard protocol, which only terminals with it report.
  case keyboardFlags
  /// Whether the terminal has a private mode that can be set (DECRPM).
  case mode(Int, isKnown: Bool)
  /// Primary device attributes, which every terminal reports: nothing asked before is still to come.
  case attributes

  /// Parses one complete sequence; nil if it is no answer.
  ///
  /// Sources: "XTerm Control Sequences" (OSC 11, primary DA, DECRPM); "Comprehensive keyboard
  /// handling in terminals"; contour's "Dark and Light Mode detection".
  init?(_ sequence: ArraySlice<UInt8>) {
    let text = String(decoding: sequence, as: UTF8.self)
    if text.hasPrefix("\u{1b}]11;") {
      let report = text.dropFirst(5).prefix { $0 != "\u{7}" && $0 != "\u{1b}" }
      guard let isLight = Self.isLight(report: String(report)) else { return nil }
      self = .background(isLight: isLight)
      return
    }
    guard text.hasPrefix("\u{1b}[?"), let final = text.last else { return nil }
    let parameters = text.dropFirst(3).dropLast().split(separator: ";").map {
      Int($0.prefix { $0.isNumber })
    }
    switch (final, parameters.count) {
    case ("c", _): self = .attributes
    case ("u", 1): self = .keyboardFlags
    case ("n", 2) where parameters[0] == 997:
      self = .scheme(isLight: parameters[1] == 2)
    case ("y", 2) where text.dropLast().last == "$":
      guard let mode = parameters[0], let state = parameters[1] else { return nil }
      // 1 set, 2 reset; 0 is unknown, 3 and 4 cannot be changed.
      self = .mode(mode, isKnown: state == 1 || state == 2)
    default: return nil
    }
  }

  /// Parses `rgb:1c1c/1c1c/1c1c`, `rgba:…` or `#1c1c1c` (XParseColor formats). Light means a Rec.
  /// 601 luma above 0.5.
  package static func isLight(report: String) -> Bool? {
    let channels: [Double]
    if let colon = report.firstIndex(of: ":"), report.hasPrefix("rgb") {
      let parts = report[report.index(after: colon)...].split(separator: "/").prefix(3)
      channels = parts.compactMap { part in
        UInt32(part, radix: 16).map { Double($0) / Double((1 << (4 * part.count)) - 1) }
      }
    } else if report.hasPrefix("#"), (report.count - 1).isMultiple(of: 3), report.count > 3 {
      let digits = Array(report.dropFirst())
      let width = digits.count / 3
      channels = (0..<3).compactMap { channel in
        UInt32(String(digits[channel * width..<(channel + 1) * width]), radix: 16)
          .map { Double($0) / Double((1 << (4 * width)) - 1) }
      }
    } else {
      return nil
    }
    guard channels.count == 3 else { return nil }
    return 0.299 * channels[0] + 0.587 * channels[1] + 0.114 * channels[2] > 0.5
  }

  /// Parses `COLORFGBG`, such as `15;0` or `15;default;0`: the last number is the background
  /// colour; 7 and 9…15 are light.
  package static func isLight(colors: String?) -> Bool? {
    guard let last = colors?.split(separator: ";").last, let number = Int(last) else { return nil }
    return number == 7 || (9...15).contains(number)
  }
}

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
