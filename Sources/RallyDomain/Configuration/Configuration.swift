import RallyWire

/// What a person wrote into `config.toml`; everything has a default.
public struct Configuration: Sendable, Hashable {
  /// `[policy]`: what they decided about the device's signals.
  public var policy = PolicyOverrides()
  /// `[server] url`: the server of those who do not use the embedded one.
  public var serverURL: ServerURL?
  /// `[server] key_file`: an absolute path to the file that holds the server's key.
  public var serverKeyFile: String?
  /// `[server] insecure`: whether http is spoken to `url` on a public network too.
  public var isServerInsecure = false
  /// `[interface] color`.
  public var color = ColorSetting.auto
  /// `[interface] theme`: what the roles look like.
  public var theme = ThemeSetting.terminal
  /// `[interface] mouse`: when the mouse is taken from the terminal.
  public var mouse = MouseSetting.auto
  /// `[interface] plain`: drawn for a screen reader.
  public var isPlain = false
  /// `[interface] title`: whether the window's title is Rally's while it runs.
  public var hasTitle = true
  /// `[interface] ambiguous_width`: what the terminal makes of letters that are wide in East Asia alone.
  public var ambiguousWidth = AmbiguousWidthSetting.narrow
  /// `[interface] emoji`.
  public var emoji = EmojiSetting.picture
  /// `[map] glyphs`: what the map is drawn with.
  public var mapGlyphs = MapGlyphSetting.auto
  /// `[notifications]`: what is told to somebody who looks elsewhere.
  public var notifications = NotificationSettings()
  /// `[keys]`: what replaces the keys that actions come with, in the order of the file.
  public var keys: [KeyBinding] = []

  public init() {}
}

/// How many cells a terminal gives to what Unicode calls ambiguous: Greek, Cyrillic, many signs.
public enum AmbiguousWidthSetting: String, Sendable, Hashable, CaseIterable {
  /// One, as nearly everywhere.
  case narrow
  /// Two, as terminals do that were set up so for East Asian text.
  case wide
}

/// What is shown of an emoji.
public enum EmojiSetting: String, Sendable, Hashable, CaseIterable {
  case picture
  /// Its name: `:party popper:`.
  case text
}

/// When to use colours.
public enum ColorSetting: String, Sendable, Hashable, CaseIterable {
  /// On a terminal that has them, unless `NO_COLOR` is set.
  case auto
  case always
  case never
}

/// What the screen looks like.
public enum ThemeSetting: String, Sendable, Hashable, CaseIterable {
  /// The terminal's own sixteen colours on its own background.
  case terminal
  /// Light text, for a dark background.
  case dark
  /// Dark text, for a light background.
  case light
  /// White and yellow on black, whatever the terminal's own colours are.
  case highContrast = "high-contrast"
  /// `dark` or `light`, as the terminal answers when it is asked for its background.
  case auto
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

/// When the mouse is taken from the terminal, whose own selection does not work meanwhile.
public enum MouseSetting: String, Sendable, Hashable, CaseIterable {
  /// On the map only.
  case auto
  case on
  case off
}
