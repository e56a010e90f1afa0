import RallyWire

/// What a person wrote into `config.toml`; everything has a default.
public struct Configuration: Sendable, Hashable {
  /// `[policy]`: what they decided about the device's signals.
  public var policy = PolicyOverrides()
  /// `[server] url`: the server of those who do not use the embedded one.
  public var serverURL: ServerURL?
  /// `[server] key_file`: an absolute path to the file that holds the server's key.
  public var serverKeyFile: String?
  /// `[interface] color`.
  public var color = ColorSetting.auto
  /// `[map] glyphs`: what the map is drawn with.
  public var mapGlyphs = MapGlyphSetting.auto

  public init() {}
}

/// When to use colours.
public enum ColorSetting: String, Sendable, Hashable, CaseIterable {
  /// On a terminal that has them, unless `NO_COLOR` is set.
  case auto
  case always
  case never
}

/// What the map's lines are drawn with.
public enum MapGlyphSetting: String, Sendable, Hashable, CaseIterable {
  /// Braille, or ASCII where the terminal or the locale can show nothing else.
  case auto
  /// Braille patterns, the finest: for nearly every terminal.
  case braille
  /// Quadrant blocks: for fonts without braille.
  case blocks
  case ascii
}

/// Something in `config.toml` that was passed over.
public struct ConfigurationProblem: Error, Hashable, Sendable, CustomStringConvertible {
  public let file: String
  /// Counted from 1; nil where no single line is to blame.
  public let line: Int?
  /// What is wrong and what to write instead.
  public let sentence: String

  public init(file: String, line: Int?, sentence: String) {
    self.file = file
    self.line = line
    self.sentence = sentence
  }

  /// `FILE:LINE: sentence`, the form that editors jump to.
  public var description: String {
    "\(file.cleanedForDisplay)\(line.map { ":\($0)" } ?? ""): \(sentence)"
  }
}
