import RallyDomain
import RallyEnvironment
import RallySystem
import TerminalKit

// The benchmarks link Swift's libraries statically, which excludes Testing; they need no test
// screen.
#if canImport(Testing)
  import Testing

  /// The whole interface on an in-memory terminal, driven by keys and read as text.
  @MainActor public final class TestScreen {
    public let terminal: InMemoryTerminal
    public let application: TerminalApplication
    /// What the program has said so far, by number.
    public var messages: @MainActor () -> [Int: String] = { [:] }

    public init(
      size: Size = Size(width: 80, height: 24), table: ActionTable = ActionTable(Action.movement),
      isPlain: Bool = false, paintsAreas: Bool = false,
      environment: EnvironmentValues = EnvironmentValues(), root: some View
    ) {
      terminal = InMemoryTerminal(size: size, paintsAreas: paintsAreas)
      application = TerminalApplication(
        terminal: terminal, table: table, isPlain: isPlain, environment: environment, root: root)
      application.start()
    }

    isolated deinit { application.finish() }

    public var graph: Graph { application.graph }

    // MARK: Driving

    /// Presses keys written as `"j j <ret> g g ^K"`, each as a separate burst of input.
    public func press(_ keys: String, sourceLocation: SourceLocation = #_sourceLocation) {
      guard let sequence = KeySequence(keys) else {
        Issue.record("no such keys: \(keys)", sourceLocation: sourceLocation)
        return
      }
      for chord in sequence.chords { terminal.send([.key(chord)]) }
    }

    /// Types text, one key per character.
    public func type(_ text: String) {
      for character in text { terminal.send([.key(.character(character))]) }
    }

    /// Clicks the left mouse button on the first occurrence of `text`.
    ///
    /// - Parameter times: 2 for a double click, in one burst.
    public func click(
      _ text: String, times: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      guard let point = position(of: text) else {
        Issue.record("nothing shows “\(text)”:\n\(self.text)", sourceLocation: sourceLocation)
        return
      }
      let click = [MouseEvent.Kind.press, .release].map {
        InputEvent.mouse(MouseEvent(kind: $0, position: point))
      }
      terminal.send(Array(repeating: click, count: times).flatMap(\.self))
    }

    public func paste(_ text: String) { terminal.send([.paste(text)]) }

    public func resize(to size: Size) { terminal.resize(to: size) }

    /// Waits until all pending work has run and is painted.
    public func waitUntilIdle() async {
      var quiet = 0
      while quiet < 10 {
        await Task.yield()
        quiet = application.isBusy ? 0 : quiet + 1
        if application.isBusy { try? await Task.sleep(for: .milliseconds(2)) }
      }
    }

    /// Waits for a condition; records an issue with the screen after the limit.
    @discardableResult
    public func waitUntil(
      within limit: Duration = PollingBackoff.limit, _ condition: () -> Bool,
      sourceLocation: SourceLocation = #_sourceLocation
    ) async -> Bool {
      var patience = PollingBackoff(limit)
      repeat {
        if !application.isBusy, condition() { return true }
      } while await patience.pause()
      Issue.record(
        "the condition did not come true; the screen shows:\n\(text)\nsaid so far:\n\(said)",
        sourceLocation: sourceLocation)
      return false
    }

    /// Waits until the screen shows this text, if only in one frame: a message goes by itself, and on
    /// a busy machine perhaps before the next look. A message counts that another one replaced before
    /// it was painted.
    @discardableResult
    public func waitFor(
      _ text: String, within limit: Duration = PollingBackoff.limit,
      sourceLocation: SourceLocation = #_sourceLocation
    ) async -> Bool {
      let watch = FrameWatch()
      terminal.watchers[ObjectIdentifier(watch)] = {
        if self.contains(text) { watch.wasSeen = true }
      }
      defer { terminal.watchers[ObjectIdentifier(watch)] = nil }
      let earlier = messages()
      // Many tests wait on one main actor, so read the screen only once per frame.
      var read: Int?
      return await waitUntil(
        within: limit,
        {
          guard !watch.wasSeen, read != self.terminal.drawCount else { return watch.wasSeen }
          read = self.terminal.drawCount
          return self.contains(text) || self.wasReplaced(text, after: earlier)
        }, sourceLocation: sourceLocation)
    }

    /// Whether a frame showed what somebody waits for.
    @MainActor private final class FrameWatch {
      var wasSeen = false
    }

    /// Whether a message since `earlier` had this text; the newest one has to be on the screen.
    private func wasReplaced(_ text: String, after earlier: [Int: String]) -> Bool {
      let now = messages()
      guard let newest = now.keys.max() else { return false }
      return now.contains { $0 < newest && earlier[$0] == nil && $1.contains(text) }
    }

    // MARK: Reading

    private var said: String {
      messages().sorted { $0.key < $1.key }.map(\.value).joined(separator: "\n")
    }

    /// The rows of the screen, without trailing blanks.
    public var picture: [String] { ScreenPicture.lines(of: terminal.screen) }

    /// The screen as one text, without trailing empty rows.
    public var text: String {
      var lines = picture
      while lines.last?.isEmpty == true { lines.removeLast() }
      return lines.joined(separator: "\n")
    }

    public func contains(_ text: String) -> Bool { picture.contains { $0.contains(text) } }

    public var cursor: Cursor? { terminal.cursor }

    public func style(x: Int, y: Int) -> Style { terminal.screen[x, y].style }

    /// The style of the first cell of a text; nil if it is not on the screen.
    public func style(of text: String) -> Style? {
      ScreenPicture.position(of: text, in: terminal.screen).map { style(x: $0.x, y: $0.y) }
    }

    public func position(of text: String) -> Point? {
      ScreenPicture.position(of: text, in: terminal.screen)
    }
  }

  /// Hides the view tree, so that a failed expectation does not print it.
  extension TestScreen: @MainActor CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: [:]) }
  }

  /// Reads a buffer as text.
  @MainActor public enum ScreenPicture {
    public static func lines(of buffer: CellBuffer) -> [String] {
      (0..<buffer.size.height).map { y in
        var line = buffer.text(ofRow: y)
        while line.last == " " { line.removeLast() }
        return line
      }
    }

    public static func position(of text: String, in buffer: CellBuffer) -> Point? {
      for y in 0..<buffer.size.height {
        let line = buffer.text(ofRow: y)
        if let range = line.firstRange(of: text) {
          return Point(x: line[..<range.lowerBound].cellWidth, y: y)
        }
      }
      return nil
    }
  }
#endif
