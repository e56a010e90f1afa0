import Dispatch
import RallyEnvironment

/// The run loop: feeds terminal events to the view graph and sends changed cells to the terminal.
///
/// Idle when nothing changes: the only timers are those that a visible view asked for.
@MainActor public final class TerminalApplication {
  /// Why `run` returned.
  public enum End: Hashable, Sendable {
    case quit
    /// The terminal was closed or disconnected (SIGHUP, end of file).
    case hangup
    /// The process was asked to end by this signal.
    case signal(Int32)
  }

  /// How long saving may hold up a stop by ^Z.
  public static let saveLimit = Duration.milliseconds(500)

  public let terminal: any TerminalDevice
  public let graph: Graph
  public let control = TerminalControl()
  /// Number of frames sent to the terminal.
  public private(set) var frameCount = 0

  private let save: @MainActor () async -> Void
  private let isPlain: Bool
  private let buffer: CellBuffer
  private var shown: CellBuffer?
  private var spare: CellBuffer
  private var shownCursor: Cursor?
  private var glyphEpoch = 0
  /// What was said about letters of another alphabet.
  private enum Letters { case unseen, asked(ContinuousClock.Instant), explained }
  private var letters = Letters.unseen
  private var pacing = FramePacing()
  private var isScheduled = false
  private var isHandlingInput = false
  private let paintTimer = MainTimer()
  private let frameTimer = MainTimer()
  private let continuationTimer = MainTimer()
  private var ending: CheckedContinuation<End, Never>?
  private var end: End?

  /// - Parameter save: Writes down what must survive: before ^Z stops the process (for at most
  ///   `saveLimit`), and before the terminal is given back at a signal or a hang-up.
  public init(
    terminal: any TerminalDevice, table: ActionTable, isPlain: Bool = false,
    environment: EnvironmentValues = EnvironmentValues(),
    save: @escaping @MainActor () async -> Void = {}, root: some View
  ) {
    self.terminal = terminal
    self.save = save
    var environment = environment
    environment.terminal = control
    environment.isPlain = isPlain
    var table = table
    table.spellsKeys = isPlain
    graph = Graph(size: terminal.size, table: table, environment: environment, root: root)
    buffer = CellBuffer(size: terminal.size)
    spare = CellBuffer(size: terminal.size)
    self.isPlain = isPlain
    graph.isPlain = isPlain
    control.application = self
    graph.onInvalidate = { [weak self] in self?.schedule() }
  }

  /// Draws the first frame, runs until `quit` or hangup, then restores the terminal.
  ///
  /// - Parameter shown: Called after the first frame, for work that must not delay it.
  @discardableResult
  public func run(shown: @MainActor () -> Void = {}) async -> End {
    start()
    shown()
    let reason: End = await withCheckedContinuation { continuation in
      if let end { continuation.resume(returning: end) } else { ending = continuation }
    }
    if reason != .quit { await save() }
    finish()
    return reason
  }

  /// Draws the first frame and starts listening; for tests that drive the loop themselves.
  public func start() {
    terminal.onEvent = { [weak self] in self?.handle($0) }
    terminal.start()
    paint()
  }

  /// Tears down the view graph and restores the terminal.
  public func finish() {
    paintTimer.cancel()
    frameTimer.cancel()
    continuationTimer.cancel()
    terminal.onEvent = nil
    graph.close()
    terminal.close()
  }

  public func quit() { stop(.quit) }

  private func stop(_ reason: End) {
    guard end == nil else { return }
    end = reason
    ending?.resume(returning: reason)
    ending = nil
  }

  public func repaint() {
    terminal.repaint()
    shown = nil
    paint()
  }

  package func invalidateLayout() {
    graph.invalidateLayout()
    shown = nil
    schedule()
  }

  package func setTextOnly(_ isTextOnly: Bool) {
    graph.isPlain = isPlain || isTextOnly
    schedule()
  }

  // MARK: Events

  private func handle(_ event: TerminalEvent) {
    switch event {
    case .input(let events): input(events)
    case .resized(let size):
      shown = nil
      graph.resize(to: size)
      paint()
    case .appearanceChanged:
      control.updateColors()
      repaint()
    case .suspended:
      control.isForeground = false
      graph.update()
      Task {
        await saveInTime()
        terminal.stopProcess()
      }
    case .resumed:
      control.isForeground = true
      graph.resize(to: terminal.size)
      shown = nil
      paint()
    case .ending(let number): stop(.signal(number))
    case .hangup: stop(.hangup)
    }
  }

  /// Returns once everything is saved, or after `saveLimit`; the saving goes on then.
  private func saveInTime() async {
    let (saved, done) = AsyncStream.makeStream(of: Void.self)
    Task {
      await save()
      done.finish()
    }
    let limit = MainTimer()
    limit.schedule(after: Self.saveLimit) { done.finish() }
    for await _ in saved {}
    limit.cancel()
  }

  /// Handles a batch of input events and paints once.
  private func input(_ events: [InputEvent]) {
    isHandlingInput = true
    let now = ContinuousClock.now
    pacing.input(at: now)
    for event in events {
      if event.isDeliberate { control.lastInputAt = now }
      // Terminals repeat it when the modes are set again.
      if case .focus(let hasFocus) = event, hasFocus != control.hasFocus {
        control.hasFocus = hasFocus
      }
      if !graph.handle(event, at: now) { explain(event, at: now) }
      if end != nil { break }
    }
    isHandlingInput = false
    awaitContinuations()
    if end == nil { paint() }
  }

  /// Says once what a letter of another alphabet is to the program, which did nothing. It acts as
  /// the key at its place where the terminal says which that is.
  private func explain(_ event: InputEvent, at now: ContinuousClock.Instant) {
    guard case .key(let chord) = event, chord.isOfAnotherAlphabet, !graph.isTyping,
      let letter = chord.typedCharacter
    else { return }
    switch letters {
    case .unseen where terminal.reportKeyPlaces():
      letters = .asked(now)
      graph.notify(
        "Letters of another alphabet act as the keys at their places now: press \(letter) again.")
    // What was typed before the terminal was asked came without its place.
    case .asked(let since) where now - since < .seconds(2): break
    case .unseen, .asked:
      letters = .explained
      graph.notify(
        "\(letter) is no key: keys are Latin letters, or those of [keys] in your configuration.")
    case .explained: break
    }
  }

  private func awaitContinuations() {
    continuationTimer.cancel()
    guard let due = graph.matcher.continuationsDue else { return }
    // The dispatch clock differs from `ContinuousClock` and may fire a little early.
    continuationTimer.schedule(after: due - .now) { [weak self] in
      self?.graph.showContinuations(at: max(due, .now))
    }
  }

  // MARK: Frames

  /// Whether a change is waiting to be painted.
  public var isBusy: Bool { isScheduled || graph.needsUpdate }

  private func schedule() {
    guard !isScheduled, !isHandlingInput, end == nil else { return }
    isScheduled = true
    let delay = pacing.delay(at: .now)
    let work: @MainActor @Sendable () -> Void = { [weak self] in
      guard let self, isScheduled else { return }
      paint()
    }
    if delay == .zero {
      DispatchQueue.main.async { MainActor.assumeIsolated(work) }
    } else {
      paintTimer.schedule(after: delay, work)
    }
  }

  private func paint() {
    guard end == nil else { return }
    isScheduled = true  // changes made during the passes belong to this frame
    GlyphPool.shared.trim()
    if GlyphPool.shared.epoch != glyphEpoch {
      glyphEpoch = GlyphPool.shared.epoch
      shown = nil
    }
    let now = ContinuousClock.now
    let result = graph.paint(into: buffer, at: now)
    isScheduled = false
    pacing.painted(at: now)
    if control.isForeground { send(result.cursor) }
    wake(after: result.nextFrame)
    if graph.needsUpdate { schedule() }
  }

  private func send(_ cursor: Cursor?) {
    let rows = 0..<buffer.size.height
    let isChanged =
      cursor != shownCursor || shown == nil
      || rows.contains { buffer.changedColumns(ofRow: $0, since: shown) != nil }
    guard isChanged else { return }
    terminal.draw(buffer, since: shown, cursor: cursor)
    spare.copy(from: buffer)
    shown = spare
    shownCursor = cursor
    frameCount += 1
  }

  private func wake(after delay: Duration?) {
    guard let delay else { return frameTimer.cancel() }
    frameTimer.schedule(after: delay) { [weak self] in self?.paint() }
  }
}

extension InputEvent {
  /// Whether a person does it, and not the terminal or a pointer that passes.
  fileprivate var isDeliberate: Bool {
    switch self {
    case .key, .letter, .paste: true
    case .mouse(let event): event.kind != .move
    case .focus: false
    }
  }
}

/// Limits the frame rate.
///
/// Input is painted at once. Other changes are coalesced: at most 25 frames per second, or 125 for
/// 120 ms after a key, since they may be its result.
struct FramePacing {
  typealias Instant = ContinuousClock.Instant

  static let interval: Duration = .milliseconds(40)
  static let intervalAfterInput: Duration = .milliseconds(8)
  static let inputWindow: Duration = .milliseconds(120)

  private var lastPaint: Instant?
  private var lastInput: Instant?

  mutating func painted(at now: Instant) { lastPaint = now }

  mutating func input(at now: Instant) { lastInput = now }

  /// Delay before painting a change noticed now; zero paints in this turn of the run loop.
  func delay(at now: Instant) -> Duration {
    guard let lastPaint else { return .zero }
    let isAnswer = lastInput.map { now - $0 < Self.inputWindow } ?? false
    let interval = isAnswer ? Self.intervalAfterInput : Self.interval
    return max(.zero, interval - (now - lastPaint))
  }
}
