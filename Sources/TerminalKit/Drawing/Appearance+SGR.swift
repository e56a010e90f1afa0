extension Appearance {
  /// The SGR sequence (ECMA-48) that resets the terminal and then sets this appearance.
  package var sequence: String { sequence(in: .indexed) }

  /// - Parameter mode: In `.direct`, colour numbers from 8 on are 24-bit RGB values.
  package func sequence(in mode: ColorMode) -> String {
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
