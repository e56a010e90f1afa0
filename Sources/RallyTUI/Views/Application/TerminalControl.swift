import Observation
import RallyDomain
import RallyMap

/// What a view can ask of the program and the terminal it runs in.
@MainActor @Observable public final class TerminalControl {
  /// False while the program is stopped by ^Z.
  public internal(set) var isForeground = true
  /// Whether the terminal's window is the chosen one, where the terminal tells.
  public internal(set) var hasFocus = true
  @ObservationIgnored weak var application: TerminalApplication?

  public init() {}

  /// Ends the program: `run()` returns.
  public func quit() { application?.quit() }

  /// Gives the terminal back until the shell continues the program.
  public func suspend() { application?.terminal.suspend() }

  /// Gives the terminal to another program until that has ended.
  ///
  /// - Returns: How it failed, as `The editor …` goes on; nil when it did not.
  func lend(to executable: String, _ arguments: [String]) async -> String? {
    guard let application else { return "has no terminal" }
    return await application.terminal.lend(to: executable, arguments)
  }

  /// Sends the whole screen again.
  public func repaint() { application?.repaint() }

  /// Draws everything again in another theme.
  public func setTheme(_ name: ThemeSetting) {
    application?.terminal.setTheme(name)
    application?.repaint()
  }

  /// Measures and draws everything again: texts take other widths now.
  func layOutAgain() { application?.layOutAgain() }

  public func bell() { application?.terminal.bell() }

  /// Puts a text on the person's clipboard.
  public func copy(_ text: String) throws(ClipboardProblem) {
    try application?.terminal.copy(text)
  }

  /// Tells something outside of the screen, also while another window is looked at.
  public func announce(_ announcement: Announcement, by way: NotificationWay) {
    application?.terminal.announce(announcement, by: way)
  }

  /// Draws without frames and signs for a while; a program that is drawn so anyway stays so.
  func setBare(_ isBare: Bool) { application?.setBare(isBare) }

  public func setMouse(_ isOn: Bool) { application?.terminal.setMouse(isOn) }

  /// Names the terminal's window; nil gives it its former title back.
  public func setTitle(_ title: String?) { application?.terminal.setTitle(title) }
}

private struct TerminalControlKey: EnvironmentKey {
  static let defaultValue = TerminalControl()
}

private struct IsPlainKey: EnvironmentKey {
  static let defaultValue = false
}

private struct MapGlyphsKey: EnvironmentKey {
  static let defaultValue = GlyphSet.braille
}

extension EnvironmentValues {
  /// Whether the screens are drawn for a screen reader.
  public var isPlain: Bool {
    get { self[IsPlainKey.self] }
    set { self[IsPlainKey.self] = newValue }
  }

  /// What the map is drawn with on this terminal.
  public var mapGlyphs: GlyphSet {
    get { self[MapGlyphsKey.self] }
    set { self[MapGlyphsKey.self] = newValue }
  }

  public var terminal: TerminalControl {
    get { self[TerminalControlKey.self] }
    set { self[TerminalControlKey.self] = newValue }
  }
}
