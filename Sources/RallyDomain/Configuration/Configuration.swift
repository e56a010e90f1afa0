import RallyClient
import RallyWire

/// The content of `config.toml`; everything has a default.
public struct Configuration: Sendable, Hashable {
  /// `[policy]`: overrides of device signals.
  public var policy = PolicyOverrides()
  /// `[server] url`: nil for the embedded server.
  public var serverURL: ServerURL?
  /// `[server] key_file`: the absolute path of the file with the server's API key.
  public var serverKeyFile: String?
  /// `[server] insecure`: whether plain HTTP is allowed to a public address.
  public var isServerInsecure = false
  /// `[interface] color`.
  public var color = ColorSetting.auto
  /// `[interface] theme`: the colours.
  public var theme = ThemeSetting.auto
  /// `[interface] mouse`: when Rally captures the mouse.
  public var mouse = MouseSetting.auto
  /// `[interface] plain`: output for screen readers.
  public var isPlain = false
  /// `[interface] title`: whether Rally sets the window title.
  public var hasTitle = true
  /// `[interface] motion`: whether what is new moves for a moment.
  public var hasMotion = true
  /// `[interface] ambiguous_width`: the width of East Asian Ambiguous characters in this terminal.
  public var ambiguousWidth = AmbiguousWidthSetting.narrow
  /// `[interface] emoji`.
  public var emoji = EmojiSetting.picture
  /// `[map] glyphs`: the characters that draw the map.
  public var mapGlyphs = MapGlyphSetting.auto
  /// `[map] style`: whether areas are painted.
  public var mapStyle = MapStyleSetting.auto
  /// `[map] source`: where the streets of a city come from.
  public var streetSource = StreetSource.protomaps
  /// `[location] gpsd`: where gpsd listens; nil if it is not asked.
  public var gpsd: GPSDAddress? = .standard
  /// `[location] geoclue`: whether GeoClue is asked.
  public var geoClue = GeoClueSetting.auto
  /// `[notifications]`: notifications outside of the screen.
  public var notifications = NotificationSettings()
  /// `[hooks]`: programs for events.
  public var hooks = HookSettings()
  /// `[keys]`: replacements for default key bindings, in file order.
  public var keys: [KeyBinding] = []

  public init() {}
}

/// The width of characters that Unicode calls East Asian Ambiguous: Greek, Cyrillic, many symbols.
public enum AmbiguousWidthSetting: String, Sendable, Hashable, CaseIterable {
  /// One cell, as in nearly all terminals.
  case narrow
  /// Two cells, as in terminals configured for East Asian text.
  case wide
}

/// How emoji are shown.
public enum EmojiSetting: String, Sendable, Hashable, CaseIterable {
  case picture
  /// Its name: `:party popper:`.
  case text
}

/// When to use colours.
public enum ColorSetting: String, Sendable, Hashable, CaseIterable {
  /// If the terminal supports them and `NO_COLOR` is not set.
  case auto
  case always
  case never
}

public enum ThemeSetting: String, Sendable, Hashable, CaseIterable {
  /// `dark` or `light`, by the background colour that the terminal reports; `dark` where it does
  /// not.
  case auto
  /// Light text, for a dark background.
  case dark
  /// Dark text, for a light background.
  case light
  /// White and yellow on black, whatever the terminal's own colours are.
  case highContrast = "high-contrast"
  /// The terminal's own text on its own background.
  case terminal
}

/// How the map's areas (sea, land, parks, buildings) are drawn.
public enum MapStyleSetting: String, Sendable, Hashable, CaseIterable {
  /// Painted where the theme and the terminal have colours for it, plain while the device is
  /// constrained.
  case auto
  /// Painted where the theme and the terminal have colours for it.
  case full
  /// Lines and patterns of dots only.
  case plain
}

/// The characters that draw the map.
public enum MapGlyphSetting: String, Sendable, Hashable, CaseIterable {
  /// Braille, or ASCII if the terminal or the locale supports nothing else.
  case auto
  /// Braille patterns: the highest resolution; supported by nearly all terminals.
  case braille
  /// Solid blocks of 2 × 3 dots, for terminals with the characters of Unicode 13.
  case sextants
  /// Quadrant blocks: for fonts without braille.
  case blocks
  case ascii
}

/// Whether GeoClue, the location service of desktops, is asked where this device is.
public enum GeoClueSetting: String, Sendable, Hashable, CaseIterable {
  /// In a desktop session at this machine. Over SSH it would find the host, and without a desktop
  /// nobody could permit or refuse it.
  case auto
  case on
  case off

  /// - Parameter environment: Of this process.
  public func isOn(in environment: [String: String]) -> Bool {
    func has(_ name: String) -> Bool { !environment[name, default: ""].isEmpty }
    return switch self {
    case .auto: !has("SSH_CONNECTION") && (has("WAYLAND_DISPLAY") || has("DISPLAY"))
    case .on: true
    case .off: false
    }
  }
}

/// When Rally captures the mouse; the terminal's own text selection does not work meanwhile.
public enum MouseSetting: String, Sendable, Hashable, CaseIterable {
  /// On the map only.
  case auto
  case on
  case off
}

/// Settings that can change at run time.
public struct InterfacePreferences: Hashable, Sendable {
  public var theme: ThemeSetting
  public var mouse: MouseSetting
  /// Overrides of device signals.
  public var policy: PolicyOverrides

  public init(
    theme: ThemeSetting = .auto, mouse: MouseSetting = .auto,
    policy: PolicyOverrides = PolicyOverrides()
  ) {
    self.theme = theme
    self.mouse = mouse
    self.policy = policy
  }

  /// What a configuration says of them.
  public init(_ configuration: Configuration) {
    self.init(
      theme: configuration.theme, mouse: configuration.mouse, policy: configuration.policy)
  }
}

/// An entry of `[keys]`: replaces the default keys of an action.
///
/// Action and keys are unparsed text, since only the interface has them.
public struct KeyBinding: Sendable, Hashable {
  /// A key, or a sequence of keys: `g g`.
  public struct Keys: Sendable, Hashable {
    public var text: String
    public var place: SourcePosition?

    public init(_ text: String, place: SourcePosition? = nil) {
      self.text = text
      self.place = place
    }
  }

  /// The action's id, or its name on the command line.
  public var action: String
  /// All keys of the action; empty if it is unbound.
  public var keys: [Keys]
  public var place: SourcePosition?

  public init(action: String, keys: [Keys], place: SourcePosition? = nil) {
    self.action = action
    self.keys = keys
    self.place = place
  }

  /// The value that unbinds an action.
  public static let none = "none"
}
