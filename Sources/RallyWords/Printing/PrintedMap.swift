import RallyDomain
import RallyMap
import TerminalKit

/// One frame of the map as lines of text, for a pipe or for the scroll of a terminal.
public struct PrintedMap {
  public let frame: MapFrame
  private let glyphs: GlyphSet
  private let scale: [Character]
  private let attribution: [Character]

  /// - Parameters:
  ///   - ground: The street tiles under the view.
  ///   - options: With `.ascii` glyphs the lines hold nothing else, names of cities included.
  public init(
    _ viewport: Viewport, markers: [MapMarker], ground: MapGround = .none, options: MapOptions
  ) {
    frame = MapRenderer(
      width: { CellWidth.width(of: $0) }, distance: GeoText.distance(_:uncertainty:)
    )
    .frame(viewport, markers: markers, ground: ground, options: options)
    glyphs = options.glyphs
    scale = Array(frame.scaleText(glyphs: options.glyphs) ?? "")
    attribution = Array(frame.attributionText() ?? "")
  }

  /// As many lines as the frame has rows, none wider than its columns, without blanks at their ends.
  ///
  /// - Parameters:
  ///   - theme: The colours, written as SGR sequences.
  ///   - colorMode: How many there are; `.mono` writes no sequence at all.
  public func lines(theme: Theme = .terminal, colorMode: ColorMode = .mono) -> [String] {
    (0..<frame.rows).map { line($0, theme, colorMode) }
  }

  private func line(_ row: Int, _ theme: Theme, _ mode: ColorMode) -> String {
    var line = ""
    var blanks = 0
    var look = Appearance()
    for column in 0..<frame.columns {
      guard let (character, style) = piece(column, row) else { continue }
      let next = mode == .mono ? Appearance() : theme.resolve(style, mode: mode)
      // Unpainted blanks are only written once something follows them.
      guard character != " " || next.background >= 0 else {
        blanks += 1
        continue
      }
      if next != look || blanks > 0, look != Appearance() { line += Appearance().sequence }
      if blanks > 0 { look = Appearance() }
      line += String(repeating: " ", count: blanks)
      if next != look, next != Appearance() { line += next.sequence(in: mode) }
      (blanks, look) = (0, next)
      line.append(character)
    }
    return look == Appearance() ? line : line + Appearance().sequence
  }

  /// The content of a cell; nil for the right half of a wide character.
  private func piece(_ column: Int, _ row: Int) -> (Character, Style)? {
    if row == frame.rows - 1, column < scale.count {
      return (scale[column], frame.legendStyle(atColumn: column))
    }
    if row == frame.rows - 1, column >= frame.columns - attribution.count {
      let character = attribution[column - (frame.columns - attribution.count)]
      return (character, frame.legendStyle(atColumn: column))
    }
    let cell = frame[column, row]
    guard let character = frame.character(atColumn: column, row: row) else {
      // The scale has taken the left half.
      return row == frame.rows - 1 && column == scale.count ? (" ", .normal) : nil
    }
    let style = frame.style(of: cell)
    if cell.isEdge { return (" ", style) }
    guard glyphs == .ascii, !character.isASCII else { return (character, style) }
    let width = max(CellWidth.width(of: character), 1)
    let text = AsciiGlyphs.substitute(for: String(character), width: width)
    return (text.first ?? "?", style)
  }
}

extension ThemeSetting {
  /// The theme, or the question for the terminal's background that decides it.
  public var choice: ThemeChoice {
    switch self {
    case .terminal: .fixed(.terminal)
    case .dark: .fixed(.dark)
    case .light: .fixed(.light)
    case .highContrast: .fixed(.highContrast)
    case .auto: .byBackground(light: .light, dark: .dark)
    }
  }
}
