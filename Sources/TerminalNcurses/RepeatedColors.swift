/// Removes sequences from a frame that set a colour which is set already: ncurses sends foreground
/// and background whenever one of them changes, a third of the bytes of a painted map.
///
/// Colours are known from their first sequence within the frame on, until a sequence of other
/// attributes may have reset them (ECMA-48, SGR).
struct RepeatedColors {
  /// The parameters of the last sequence for each; nil while unknown.
  private var foreground: ArraySlice<UInt8>?
  private var background: ArraySlice<UInt8>?

  static func removed(from bytes: [UInt8]) -> [UInt8] {
    var colors = RepeatedColors()
    var kept: [UInt8] = []
    kept.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let start = index
      index += 1
      guard bytes[start] == 0x1B, index < bytes.count, bytes[index] == UInt8(ascii: "[") else {
        kept.append(bytes[start])
        continue
      }
      index += 1
      let first = index
      while index < bytes.count, (0x20...0x3F).contains(bytes[index]) { index += 1 }
      guard index < bytes.count else {
        kept += bytes[start...]
        break
      }
      let parameters = bytes[first..<index]
      let isRepeated = bytes[index] == UInt8(ascii: "m") && colors.repeats(parameters)
      index += 1
      if !isRepeated { kept += bytes[start..<index] }
    }
    return kept
  }

  /// Takes the parameters of an SGR sequence in.
  ///
  /// - Returns: Whether they only set a colour that is set already.
  private mutating func repeats(_ parameters: ArraySlice<UInt8>) -> Bool {
    switch Target(of: parameters) {
    case .foreground:
      defer { foreground = parameters }
      return foreground.map { $0.elementsEqual(parameters) } ?? false
    case .background:
      defer { background = parameters }
      return background.map { $0.elementsEqual(parameters) } ?? false
    case .other:
      (foreground, background) = (nil, nil)
      return false
    }
  }

  private enum Target {
    case foreground, background, other

    /// `38;5;N` and `38;2;R;G;B` with nothing after them, the same with 48, and 30–39, 40–49,
    /// 90–97, 100–107 alone.
    init(of parameters: ArraySlice<UInt8>) {
      let numbers = parameters.split(
        separator: UInt8(ascii: ";"), omittingEmptySubsequences: false
      )
      .map { digits in
        digits.isEmpty || digits.count > 3
          ? nil
          : digits.reduce(0 as Int?) { sum, digit in
            guard let sum, (0x30...0x39).contains(digit) else { return nil }
            return sum * 10 + Int(digit - 0x30)
          }
      }
      guard let first = numbers.first, let kind = first else {
        self = .other
        return
      }
      let isExtended = kind == 38 || kind == 48
      let count = isExtended ? numbers.count > 1 && numbers[1] == 2 ? 5 : 3 : 1
      guard numbers.count == count, !isExtended || numbers[1] == 2 || numbers[1] == 5 else {
        self = .other
        return
      }
      switch kind {
      case 30...39, 90...97: self = .foreground
      case 40...49, 100...107: self = .background
      default: self = .other
      }
    }
  }
}
