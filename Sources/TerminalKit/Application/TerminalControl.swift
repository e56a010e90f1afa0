import Observation
import RallyEnvironment

/// Terminal and program functions available to views.
@MainActor @Observable public final class TerminalControl {
  /// False while the program is stopped by ^Z.
  public internal(set) var isForeground = true
  /// Whether the terminal window has the focus; stays true on terminals that do not report it.
  public internal(set) var hasFocus = true
  /// Whether areas can be shown by their colours; else they are drawn as patterns.
  public private(set) var paintsAreas = false
  /// Whether the lights of cities have a colour of their own.
  public private(set) var hasLights = false
  /// When the last key, click or pasted text came; nil before the first one.
  @ObservationIgnored public internal(set) var lastInputAt: ContinuousClock.Instant?
  @ObservationIgnored weak var application: TerminalApplication? {
    didSet { updateColors() }
  }

  public init() {}

  /// Ends the program: `run()` returns.
  public func quit() { application?.quit() }

  /// Restores the terminal and stops the program (^Z) until the shell continues it.
  public func suspend() { application?.terminal.suspend() }

  /// Hands the terminal to another program until it exits.
  ///
  /// - Parameter run: Runs the program on the terminal's file descriptor.
  /// - Returns: The result of `run`; nil if there is no terminal.
  package func lend<Result: Sendable>(
    _ run: @MainActor (_ descriptor: Int32) async -> Result
  ) async -> Result? {
    guard let application else { return nil }
    return await application.terminal.lend(run)
  }

  /// Redraws the whole screen.
  public func repaint() { application?.repaint() }

  /// Switches the theme and redraws the whole screen.
  public func setTheme(_ choice: ThemeChoice) {
    application?.terminal.setTheme(choice)
    updateColors()
    application?.repaint()
  }

  func updateColors() {
    let paintsAreas = application?.terminal.paintsAreas ?? false
    if paintsAreas != self.paintsAreas { self.paintsAreas = paintsAreas }
    let hasLights = application?.terminal.hasLights ?? false
    if hasLights != self.hasLights { self.hasLights = hasLights }
  }

  /// Lays out and redraws everything, after character widths have changed.
  package func invalidateLayout() { application?.invalidateLayout() }

  public func bell() { application?.terminal.bell() }

  /// Copies text to the clipboard. The terminal does not confirm it.
  ///
  /// - Throws: `ClipboardError` if the text is too long or the terminal has no clipboard.
  public func copy(_ text: String) throws(ClipboardError) { try application?.terminal.copy(text) }

  /// Sends a control sequence that does not change the screen.
  package func send(_ sequence: (TerminalIdentity) -> String) {
    application?.terminal.send(sequence)
  }

  /// Temporarily draws as for a screen reader. No effect if the program already runs in plain mode.
  package func setTextOnly(_ isTextOnly: Bool) { application?.setTextOnly(isTextOnly) }

  public func setMouse(_ isOn: Bool) { application?.terminal.setMouse(isOn) }

  /// Sets the window title; nil restores the previous one.
  public func setTitle(_ title: String?) { application?.terminal.setTitle(title) }
}

private struct TerminalControlKey: EnvironmentKey {
  static let defaultValue = TerminalControl()
}

private struct IsPlainKey: EnvironmentKey {
  static let defaultValue = false
}

extension EnvironmentValues {
  /// Whether views are drawn for a screen reader.
  public var isPlain: Bool {
    get { self[IsPlainKey.self] }
    set { self[IsPlainKey.self] = newValue }
  }

  public var terminal: TerminalControl {
    get { self[TerminalControlKey.self] }
    set { self[TerminalControlKey.self] = newValue }
  }
}
