import RallyDomain

/// Something a person did at the terminal.
public enum InputEvent: Hashable, Sendable {
  case key(KeyChord)
  /// Text that was pasted as a whole: it is typed, never run as keys.
  case paste(String)
  case mouse(MouseEvent)
  /// The terminal's window was chosen or left.
  case focus(Bool)
}

/// A button, the wheel or a movement of the mouse.
public struct MouseEvent: Hashable, Sendable {
  public enum Kind: Hashable, Sendable { case press, release, drag, move, wheelUp, wheelDown }

  public var kind: Kind
  /// 0 left, 1 middle, 2 right.
  public var button: Int
  public var position: Point
  public var modifiers: KeyModifiers
  /// 2 for the second press of a double click, which the terminal does not tell.
  public var clicks = 1

  public init(kind: Kind, button: Int = 0, position: Point, modifiers: KeyModifiers = []) {
    self.kind = kind
    self.button = button
    self.position = position
    self.modifiers = modifiers
  }
}

/// What a terminal tells the run loop.
public enum TerminalEvent: Sendable {
  /// Everything that one read brought: painted once.
  case input([InputEvent])
  case resized(Size)
  /// The program is about to stop (^Z): nothing is drawn until `resumed`. Whoever handles this
  /// calls `stopProcess` once what must survive is written.
  case suspended
  case resumed
  /// The process was asked to end by this signal, which ends it within half a second in any case.
  case ending(Int32)
  /// The terminal is gone (its window closed, the connection dropped).
  case hangup
}

/// A surface that shows buffers and reports what a person does.
@MainActor public protocol TerminalDevice: AnyObject {
  var size: Size { get }
  var onEvent: ((TerminalEvent) -> Void)? { get set }

  /// Starts reporting events.
  func start()

  /// Shows `buffer`; only cells that differ from `previous` need to be looked at, all of them
  /// when it is nil.
  func draw(_ buffer: CellBuffer, since previous: CellBuffer?, cursor: Cursor?)

  /// Forgets what the terminal is believed to show, so that the next frame is sent whole (^L).
  func repaint()

  /// Draws with another theme from the next whole frame on.
  func setTheme(_ name: ThemeSetting)

  func bell()

  /// Puts a text on the clipboard of the terminal that the person sits at; it does not tell whether
  /// it did.
  func copy(_ text: String) throws(ClipboardProblem)

  /// Tells something outside of the screen.
  func announce(_ announcement: Announcement, by way: NotificationWay)

  /// Takes over or gives back the mouse; without it the terminal's own selection works.
  func setMouse(_ isOn: Bool)

  /// Writes a title above the terminal's window, where there is one; the former one comes back with
  /// nil, and whenever the terminal is given back.
  func setTitle(_ title: String?)

  /// Begins to stop the program, as ^Z does: reports `suspended`.
  func suspend()

  /// Gives the terminal back and stops the process until it is continued, after `suspended`.
  func stopProcess()

  /// Gives the terminal to another program until that has ended, and takes it again.
  ///
  /// - Parameter arguments: The first is the program's name.
  /// - Returns: How it failed, as `The editor …` goes on; nil when it did not.
  func lend(to executable: String, _ arguments: [String]) async -> String?

  /// Gives the terminal back for good. Repeated calls do nothing.
  func close()
}
