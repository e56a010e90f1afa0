extension Appearance {
  /// The sequence (ECMA-48, SGR) that gives what follows this look and no other.
  var sequence: String { sequence(in: .indexed) }

  /// - Parameter mode: In `.direct` colours from 8 on are red, green and blue in 24 bits.
  func sequence(in mode: ColorMode) -> String {
    var codes = ["0"]
    for (attribute, code) in Self.codes where attributes.contains(attribute) { codes.append(code) }
    codes += Self.code(of: foreground, base: 30, mode) + Self.code(of: background, base: 40, mode)
    return "\u{1B}[\(codes == ["0"] ? "" : codes.joined(separator: ";"))m"
  }

  private static let codes: [(TextAttributes, String)] = [
    (.bold, "1"), (.dim, "2"), (.italic, "3"), (.underline, "4"), (.reverse, "7"),
  ]

  private static func code(of color: Int32, base: Int, _ mode: ColorMode) -> [String] {
    switch color {
    case 8... where mode == .direct:
      ["\(base + 8)", "2", "\(color >> 16 & 255)", "\(color >> 8 & 255)", "\(color & 255)"]
    case ..<0: []
    case ..<8: ["\(base + Int(color))"]
    default: ["\(base + 8)", "5", "\(color)"]
    }
  }
}
