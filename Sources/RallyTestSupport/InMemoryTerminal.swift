import RallyClient
import RallyDomain
import TerminalKit

/// An in-memory terminal: records what it is sent, and lets tests send input.
@MainActor public final class InMemoryTerminal: TerminalDevice {
  public private(set) var size: Size
  /// Whether areas have colours of their own, as in the themes dark and light.
  public let paintsAreas: Bool
  public let hasLights = false
  public var onEvent: ((TerminalEvent) -> Void)?
  public private(set) var screen: CellBuffer
  public private(set) var cursor: Cursor?
  public private(set) var drawCount = 0
  /// Called after each frame.
  var watchers: [ObjectIdentifier: @MainActor () -> Void] = [:]
  public private(set) var bellCount = 0
  public private(set) var repaintCount = 0
  public private(set) var suspendCount = 0
  public private(set) var stopCount = 0
  public private(set) var isMouseOn = false
  /// Sequences sent besides the screen, in order; desktop notifications are OSC 777 here.
  public private(set) var sequences: [String] = []
  /// All titles that were set, in order; nil restores the previous one.
  public private(set) var titles: [String?] = []
  public private(set) var theme: ThemeChoice?
  /// The text that was copied last.
  public private(set) var clipboard: String?
  public private(set) var isStarted = false
  public private(set) var isClosed = false

  public init(size: Size, paintsAreas: Bool = false) {
    self.size = size
    self.paintsAreas = paintsAreas
    screen = CellBuffer(size: size)
  }

  public func start() { isStarted = true }

  public func draw(_ buffer: CellBuffer, since previous: CellBuffer?, cursor: Cursor?) {
    screen.copy(from: buffer)
    self.cursor = cursor
    drawCount += 1
    for watcher in watchers.values { watcher() }
  }

  public func repaint() { repaintCount += 1 }
  public func bell() { bellCount += 1 }
  /// - Throws: `ClipboardError.tooLong` if the text exceeds what terminals accept.
  public func copy(_ text: String) throws(ClipboardError) {
    try ClipboardError.check(text)
    clipboard = text
  }

  public func setTheme(_ choice: ThemeChoice) { theme = choice }
  /// Whether it says which key a letter of another alphabet is on, once it is asked.
  public var canReportKeyPlaces = false
  public func reportKeyPlaces() -> Bool { canReportKeyPlaces }
  public func setMouse(_ isOn: Bool) { isMouseOn = isOn }
  public func send(_ sequence: (TerminalIdentity) -> String) {
    sequences.append(
      sequence(TerminalIdentity(type: "xterm-256color", environment: ["VTE_VERSION": "7000"])))
  }
  public func setTitle(_ title: String?) { titles.append(title) }

  /// Returns nil: there is no file descriptor.
  public func lend<Result: Sendable>(
    _ run: @MainActor (_ descriptor: Int32) async -> Result
  ) async -> Result? { nil }

  public func suspend() {
    suspendCount += 1
    onEvent?(.suspended)
  }

  public func stopProcess() { stopCount += 1 }

  public func close() { isClosed = true }

  // MARK: Input

  public func send(_ events: [InputEvent]) { onEvent?(.input(events)) }

  public func resume() { onEvent?(.resumed) }

  public func resize(to size: Size) {
    self.size = size
    onEvent?(.resized(size))
  }
}
