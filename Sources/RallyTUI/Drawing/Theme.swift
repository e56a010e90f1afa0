/// How many colours there are to draw with.
public enum ColorMode: Sendable, Hashable {
  /// Weights and reverse only: `NO_COLOR`, `--color never`, or a terminal without colours.
  case mono
  /// The terminal's own palette, whatever its owner made of it.
  case palette

  /// What a request and the environment come to, before the terminal is asked what it can do.
  ///
  /// - Parameters:
  ///   - choice: `never`, `always` or `auto`, as given to `--color`.
  ///   - environment: Reads `NO_COLOR` (any value but the empty one, <https://no-color.org>).
  public init(choice: String, environment: [String: String]) {
    switch choice {
    case "never": self = .mono
    case "always": self = .palette
    default: self = environment["NO_COLOR", default: ""].isEmpty ? .palette : .mono
    }
  }
}

/// The look of one role: colour numbers of the terminal's palette (-1 is its default) and weights.
public struct Appearance: Hashable, Sendable {
  public var foreground: Int16
  public var background: Int16
  public var attributes: TextAttributes

  public init(
    foreground: Int16 = -1, background: Int16 = -1, attributes: TextAttributes = []
  ) {
    self.foreground = foreground
    self.background = background
    self.attributes = attributes
  }
}

/// The one place where a role becomes a colour.
public struct Theme: Sendable {
  public var appearances: [Role: Appearance]

  public init(appearances: [Role: Appearance]) { self.appearances = appearances }

  /// Uses the owner's sixteen colours on the owner's background, so it is readable wherever the
  /// shell is; state is said by a glyph and a word as well.
  public static let standard = Theme(appearances: [
    .normal: Appearance(),
    .dim: Appearance(attributes: .dim),
    .accent: Appearance(foreground: 6),
    .success: Appearance(foreground: 2),
    .warning: Appearance(foreground: 3),
    .danger: Appearance(foreground: 1, attributes: .bold),
    .selection: Appearance(attributes: .reverse),
    .rule: Appearance(attributes: .dim),
    .title: Appearance(attributes: .bold),
    .mapLand: Appearance(foreground: 2, attributes: .dim),
    .mapCoast: Appearance(foreground: 6),
    .mapLake: Appearance(foreground: 6),
    .mapBorder: Appearance(foreground: 3),
    .mapState: Appearance(attributes: .dim),
    .mapCountry: Appearance(attributes: .dim),
    .mapCity: Appearance(),
  ])

  /// The same with a map in muted colours, each of which is readable on white and on black
  /// (at least 3.5:1 on both, for lines; 4.5:1 for names).
  public static let standard256 = Theme(
    appearances: standard.appearances.merging([
      .mapLand: Appearance(foreground: 65),
      .mapCoast: Appearance(foreground: 67),
      .mapLake: Appearance(foreground: 67),
      .mapBorder: Appearance(foreground: 95),
      .mapState: Appearance(foreground: 101),
      .mapCountry: Appearance(foreground: 243),
      .mapCity: Appearance(foreground: 243),
    ]) { _, map in map })

  /// What to put on the terminal for a style; in mono the colours are gone and the weights stay.
  public func resolve(_ style: Style, mode: ColorMode) -> Appearance {
    var appearance = appearances[style.role] ?? Appearance()
    appearance.attributes.formUnion(style.attributes)
    if mode == .mono {
      appearance.foreground = -1
      appearance.background = -1
      if style.role == .accent { appearance.attributes.insert(.bold) }
    }
    return appearance
  }
}
