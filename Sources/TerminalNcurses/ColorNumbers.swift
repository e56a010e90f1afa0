/// 24-bit colours on a terminal whose description has 256: ncurses draws with the numbers 16...255,
/// each of which stands for one colour here, and the sequences that choose them are replaced as a
/// frame is sent.
///
/// Terminals that draw 24 bits are mostly described as `xterm-256color`, and descriptions with 24
/// bits are rarely installed. Source of the sequences: "XTerm Control Sequences", SGR 38 and 48.
struct ColorNumbers {
  private static let first = 16
  private var numbers: [Int32: Int32] = [:]
  /// By number, from `first` on.
  private var colors: [Int32] = []

  /// The number that ncurses shall draw a colour with; the nearest one's once all are taken.
  ///
  /// - Parameter color: 24-bit RGB; below 16 one of the terminal's own colours, which stays itself.
  mutating func number(of color: Int32) -> Int32 {
    guard color >= Self.first else { return color }
    if let number = numbers[color] { return number }
    guard colors.count + Self.first < 256 else {
      let nearest = colors.indices.min { distance(colors[$0], color) < distance(colors[$1], color) }
      return Int32(Self.first + (nearest ?? 0))
    }
    let number = Int32(Self.first + colors.count)
    colors.append(color)
    numbers[color] = number
    return number
  }

  private func distance(_ one: Int32, _ other: Int32) -> Int32 {
    [16, 8, 0].reduce(0) { sum, shift in
      let difference = (one >> shift & 255) - (other >> shift & 255)
      return sum + difference * difference
    }
  }

  /// The parameters of a sequence that chooses colours, with the colours themselves in place of their
  /// numbers.
  ///
  /// - Returns: nil where no number is among the parameters.
  func replaced(_ parameters: ArraySlice<UInt8>) -> [UInt8]? {
    var parts = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map(Array.init)
    guard parts.count >= 3 else { return nil }
    var isChanged = false
    for index in 0..<(parts.count - 2)
    where (parts[index] == Array("38".utf8) || parts[index] == Array("48".utf8))
      && parts[index + 1] == Array("5".utf8)
    {
      guard let number = Int(String(decoding: parts[index + 2], as: UTF8.self)),
        colors.indices.contains(number - Self.first)
      else { continue }
      let color = colors[number - Self.first]
      parts[index + 1] = Array("2".utf8)
      parts[index + 2] = Array("\(color >> 16 & 255);\(color >> 8 & 255);\(color & 255)".utf8)
      isChanged = true
    }
    return isChanged ? Array(parts.joined(separator: [UInt8(ascii: ";")])) : nil
  }
}
