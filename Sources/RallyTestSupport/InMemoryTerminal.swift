import RallyDomain
import RallyTUI

/// A terminal that is a grid in memory: keeps what it was sent and lets tests type.
@MainActor public final class InMemoryTerminal: TerminalDevice {
  public private(set) var size: Size
  public var onEvent: ((TerminalEvent) -> Void)?
  public private(set) var screen: CellBuffer
  public private(set) var cursor: Cursor?
  public private(set) var drawCount = 0
  public private(set) var bellCount = 0
  public private(set) var repaintCount = 0
  public private(set) var suspendCount = 0
  public private(set) var stopCount = 0
  public private(set) var isMouseOn = false
  /// What was told outside of the screen, in order.
  public private(set) var announcements: [Announcement] = []
  /// Every title that was set, in order; nil is the former one.
  public private(set) var titles: [String?] = []
  public private(set) var theme = ThemeSetting.terminal
  /// What was copied last.
  public private(set) var clipboard: String?
  public private(set) var isStarted = false
  public private(set) var isClosed = false

  public init(size: Size) {
    self.size = size
    screen = CellBuffer(size: size)
  }

  public func start() { isStarted = true }

  public func draw(_ buffer: CellBuffer, since previous: CellBuffer?, cursor: Cursor?) {
    screen.copy(from: buffer)
    self.cursor = cursor
    drawCount += 1
  }

  public func repaint() { repaintCount += 1 }
  public func bell() { bellCount += 1 }
  public func copy(_ text: String) throws(ClipboardProblem) {
    try ClipboardProblem.check(text)
    clipboard = text
  }

  public func setTheme(_ name: ThemeSetting) { theme = name }
  public func setMouse(_ isOn: Bool) { isMouseOn = isOn }
  public func announce(_ announcement: Announcement, by way: NotificationWay) {
    announcements.append(announcement)
  }
  public func setTitle(_ title: String?) { titles.append(title) }

  /// What a program does that gets the terminal; nil fails.
  public var program: (([String]) -> String?)?
  public private(set) var lendCount = 0

  public func lend(to executable: String, _ arguments: [String]) async -> String? {
    lendCount += 1
    guard let program else { return "could not be started" }
    let failure = program(arguments)
    onEvent?(.resumed)
    return failure
  }

  public func suspend() {
    suspendCount += 1
    onEvent?(.suspended)
  }

  public func stopProcess() { stopCount += 1 }

  public func close() { isClosed = true }

  // MARK: What a person does

  public func send(_ events: [InputEvent]) { onEvent?(.input(events)) }

  public func resume() { onEvent?(.resumed) }

  public func resize(to size: Size) {
    self.size = size
    onEvent?(.resized(size))
  }
}
