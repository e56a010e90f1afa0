/// An input event of the terminal.
public enum InputEvent: Hashable, Sendable {
  case key(KeyChord)
  /// A letter of another alphabet, and the key at its place on a Latin keyboard (PC-101).
  case letter(KeyChord, place: KeyChord)
  /// Pasted text. It is inserted, never interpreted as keys.
  case paste(String)
  case mouse(MouseEvent)
  /// The terminal window gained or lost the focus.
  case focus(Bool)
}

/// A mouse event.
public struct MouseEvent: Hashable, Sendable {
  public enum Kind: Hashable, Sendable { case press, release, drag, move, wheelUp, wheelDown }

  public var kind: Kind
  /// 0 left, 1 middle, 2 right.
  public var button: Int
  public var position: Point
  public var modifiers: KeyModifiers
  /// 2 for the second press of a double click; computed, since terminals do not report it.
  public var clicks = 1

  public init(kind: Kind, button: Int = 0, position: Point, modifiers: KeyModifiers = []) {
    self.kind = kind
    self.button = button
    self.position = position
    self.modifiers = modifiers
  }
}

/// An event that a terminal reports to the run loop.
public enum TerminalEvent: Sendable {
  /// All events of one read; painted once.
  case input([InputEvent])
  case resized(Size)
  /// The theme is another one, since the terminal has said what its background is.
  case appearanceChanged
  /// The program is about to stop (^Z); nothing is drawn until `resumed`. The receiver calls
  /// `stopProcess` once the state is saved.
  case suspended
  case resumed
  /// This signal asked the process to end; it ends within 500 ms in any case.
  case ending(Int32)
  /// The terminal was closed or disconnected.
  case hangup
}

/// Identifies a terminal: its type and its environment variables.
public struct TerminalIdentity: Hashable, Sendable {
  /// The value of `TERM`.
  public var type: String
  public var environment: [String: String]

  public init(type: String, environment: [String: String]) {
    self.type = type
    self.environment = environment
  }
}

/// A terminal that shows cell buffers and reports input.
@MainActor public protocol TerminalDevice: AnyObject {
  var size: Size { get }
  /// Whether areas can be shown by their colours; else they are drawn as patterns.
  var paintsAreas: Bool { get }
  /// Whether the lights of cities have a colour of their own.
  var hasLights: Bool { get }
  var onEvent: ((TerminalEvent) -> Void)? { get set }

  /// Starts reporting events.
  func start()

  /// Draws `buffer`. Only cells that differ from `previous` are sent; all of them if it is nil.
  func draw(_ buffer: CellBuffer, since previous: CellBuffer?, cursor: Cursor?)

  /// Discards the assumed screen contents, so that the next frame is sent completely (^L).
  func repaint()

  /// Switches the theme from the next complete frame on.
  func setTheme(_ choice: ThemeChoice)

  func bell()

  /// Copies text to the terminal's clipboard; the terminal does not confirm it.
  ///
  /// - Throws: `ClipboardError` if the text is too long or the terminal has no clipboard.
  func copy(_ text: String) throws(ClipboardError)

  /// Sends a control sequence that does not change the screen, such as a desktop notification.
  ///
  /// - Parameter sequence: Builds the sequence for this terminal; empty for none. Must contain
  ///   cleaned text only.
  func send(_ sequence: (TerminalIdentity) -> String)

  /// Asks the terminal to say with each letter of another alphabet which key it is on.
  ///
  /// - Returns: False if the terminal cannot be asked that.
  func reportKeyPlaces() -> Bool

  /// Enables or disables mouse reporting; while disabled the terminal's own selection works.
  func setMouse(_ isOn: Bool)

  /// Sets the window title, if supported. nil, and leaving the terminal, restore the previous one.
  func setTitle(_ title: String?)

  /// Begins to stop the program, as ^Z does: reports `suspended`.
  func suspend()

  /// Restores the terminal and stops the process until it is continued; called after `suspended`.
  func stopProcess()

  /// Hands the terminal to another program until it exits, then takes it over again.
  ///
  /// - Parameter run: Runs the program on the terminal's file descriptor.
  /// - Returns: The result of `run`; nil if there is no terminal.
  func lend<Result: Sendable>(
    _ run: @MainActor (_ descriptor: Int32) async -> Result
  ) async -> Result?

  /// Restores the terminal for good. Repeated calls do nothing.
  func close()
}
