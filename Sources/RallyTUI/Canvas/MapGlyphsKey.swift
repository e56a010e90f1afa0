import RallyEnvironment
import RallyMap

private struct MapGlyphsKey: EnvironmentKey {
  static let defaultValue = GlyphSet.braille
}

extension EnvironmentValues {
  /// What the map is drawn with on this terminal.
  public var mapGlyphs: GlyphSet {
    get { self[MapGlyphsKey.self] }
    set { self[MapGlyphsKey.self] = newValue }
  }
}
