extension Appearance {
  /// The sequence (ECMA-48, SGR) that gives what follows this look and no other.
  var sequence: String {
    var codes = ["0"]
    for (attribute, code) in Self.codes where attributes.contains(attribute) { codes.append(code) }
    codes += Self.code(of: foreground, base: 30) + Self.code(of: background, base: 40)
    return "\u{1B}[\(codes == ["0"] ? "" : codes.joined(separator: ";"))m"
  }

  private static let codes: [(TextAttributes, String)] = [
    (.bold, "1"), (.dim, "2"), (.italic, "3"), (.underline, "4"), (.reverse, "7"),
  ]

  private static func code(of color: Int32, base: Int) -> [String] {
    switch color {
    case ..<0: []
    case ..<8: ["\(base + Int(color))"]
    default: ["\(base + 8)", "5", "\(color)"]
    }
  }
}
