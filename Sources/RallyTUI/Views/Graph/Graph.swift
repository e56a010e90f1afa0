import RallyDomain

/// The tree of nodes behind a root view, and the three passes over it: bodies, layout, drawing.
///
/// Only the first pass observes, and only where something changed; resizing, scrolling and ticking
/// lay out and draw what is there.
@MainActor public final class Graph {
  /// The acts that can be reached now, for the footer, the help and the command line.
  public let actions: ActionCatalog
  public private(set) var size: Size
  /// Called when something must be painted; may come several times before the next frame.
  var onInvalidate: @MainActor () -> Void = {}

  var nodeCount = 0
  var bodyDepth = 0 { didSet { Self.isReadingBody = bodyDepth > 0 } }
  /// True while any body is read, when no state may be written.
  private(set) static var isReadingBody = false
  /// Rows that lists built since the beginning, which tests count.
  public internal(set) var builtRows = 0
  /// Draws for a screen reader: see `PlainGlyphs`.
  var isPlain = false
  /// Counts registrations where a test asks for it; nil in the running program.
  var registrationCount: RegistrationCount?
  private(set) var structure = 0
  private(set) var layoutPass = 0
  var matcher = ChordMatcher()
  var tracking = MouseTracking()

  #if DEBUG
    /// Properties that were linked to another node while the former one was still there; most are
    /// replaced or removed by the end of the update.
    var doubtfulMounts: [(property: DynamicProperty, former: Node)] = []
  #endif

  private let geometry: TerminalGeometry
  private var root: Node?
  private var dirty: [Node] = []
  private var pendingWork: [@MainActor () -> Void] = []
  private var reachCache: Reach?
  /// Where bodies ran again since the last layout.
  private var changed: [Node] = []
  private var laidOutSize: Size?

  public init(
    size: Size, table: ActionTable, environment: EnvironmentValues = EnvironmentValues(),
    root: some View
  ) {
    self.size = size
    geometry = TerminalGeometry(size)
    actions = ActionCatalog(table: table)
    var environment = environment
    environment.terminalGeometry = geometry
    environment.actions = actions
    let node = Node(
      graph: self, key: .init(id: 0, type: ObjectIdentifier(Graph.self)), parent: nil,
      environment: environment)
    self.root = node
    actions.graph = self
    node.layout = StackLayout(axis: .vertical, horizontal: .leading, vertical: .top, spacing: 0)
    node.apply(RootView(content: AnyView(root)))
  }

  isolated deinit { close() }

  /// Ends every task of the tree and forgets it.
  public func close() {
    actions.graph = nil
    root?.remove()
    root = nil
    dirty = []
    changed = []
    pendingWork = []
  }

  public func resize(to size: Size) {
    guard size != self.size else { return }
    self.size = size
    geometry.size = size
    onInvalidate()
  }

  /// Forgets how large everything was.
  func layOutAgain() {
    laidOutSize = nil
    onInvalidate()
  }

  // MARK: First pass: bodies

  func invalidated(_ node: Node) {
    dirty.append(node)
    onInvalidate()
  }

  func afterUpdate(_ work: @escaping @MainActor () -> Void) { pendingWork.append(work) }

  func structureChanged() { structure += 1 }

  /// A body ran again: what is in it has to be measured and placed anew.
  func contentChanged(_ node: Node) { changed.append(node) }

  public var needsUpdate: Bool { !dirty.isEmpty || !pendingWork.isEmpty }

  /// Runs the bodies of what changed, then what they asked to be done, until nothing changes.
  public func update() {
    for _ in 0..<20 {
      var didWork = false
      while !dirty.isEmpty {
        didWork = true
        let nodes = dirty.sorted { $0.depth < $1.depth }
        dirty = []
        for node in nodes { node.rerunIfDirty() }
      }
      if !pendingWork.isEmpty {
        didWork = true
        let work = pendingWork
        pendingWork = []
        for item in work { item() }
      }
      if dirty.isEmpty, pendingWork.isEmpty { actions.refresh() }
      if !didWork, dirty.isEmpty { return checkMounts() }
    }
    assertionFailure("views change each other without end")
  }

  /// Traps in debug builds when one view value stands in two places of the tree.
  private func checkMounts() {
    #if DEBUG
      for (property, former) in doubtfulMounts {
        let isShared = former.isAlive && former.mounted.contains { $0 === property }
        assert(!isShared, "a view value was mounted twice")
      }
      doubtfulMounts = []
    #endif
  }

  // MARK: Second pass: layout

  /// Places what changed: where everything around keeps its size, only that.
  private func layout() {
    guard let root, laidOutSize != size || !changed.isEmpty else { return }
    let nodes = changed.filter(\.isAlive).sorted { $0.depth > $1.depth }
    changed = []
    if laidOutSize == size {
      // All are measured before one is placed, the inner ones first: nobody is placed by an answer
      // that another change makes untrue.
      let outermost = nodes.map { $0.outermostChange() }.sorted { $0.depth < $1.depth }
      for node in outermost { node.place(in: node.frame) }
    } else {
      laidOutSize = size
      layoutPass += 1
      root.frame = Rect(origin: .zero, size: size)
      root.place(in: root.frame)
    }
    for overlay in reach.overlays { overlay.place(in: root.frame) }
  }

  // MARK: Third pass: drawing

  /// Draws the whole tree; returns where the cursor rests and when the next frame is wanted.
  @discardableResult
  public func paint(
    into buffer: CellBuffer, at now: ContinuousClock.Instant = .now
  ) -> (cursor: Cursor?, nextFrame: Duration?) {
    update()
    layout()
    if needsUpdate {
      update()
      layout()
    }
    buffer.clear(size: size)
    let frame = FrameContext(buffer: buffer, now: now, isPlain: isPlain)
    let canvas = Canvas(frame: frame, clip: Rect(origin: .zero, size: size))
    root?.draw(canvas)
    frame.joinRules()
    for overlay in reach.overlays {
      if overlay.isModal { frame.cursor = nil }
      frame.rules = []
      overlay.draw(canvas)
      frame.joinRules()
    }
    return (isPlain ? parked(frame.cursor) : frame.cursor, frame.nextFrame)
  }

  /// A screen reader follows the cursor, so there always is one: at the content where nothing says
  /// more.
  private func parked(_ cursor: Cursor?) -> Cursor {
    let row = min(PlainFrame.insets.top, max(0, size.height - 1))
    return Cursor(position: cursor?.position ?? Point(x: 0, y: row), isVisible: true)
  }

  // MARK: Keys

  /// What is visible and can be reached by keys; gathered anew when the tree changed.
  private var reach: Reach {
    if let reachCache, reachCache.structure == structure { return reachCache }
    let fresh = Reach(root: root, structure: structure)
    reachCache = fresh
    return fresh
  }

  func handlers() -> [ActionHandler] { reach.handlers }

  /// Outer ones first.
  var mouseNodes: [Node] { reach.mouseNodes }

  /// Hands one event to whoever wants it; true when somebody did.
  @discardableResult
  public func handle(_ event: InputEvent, at now: ContinuousClock.Instant = .now) -> Bool {
    update()
    switch event {
    case .key(let chord): return handle(chord, at: now)
    case .paste(let text):
      guard let input = focusedInput else {
        tell("Nothing here takes pasted text.")
        return false
      }
      return input.paste(text)
    case .mouse(let mouse): return handle(mouse, at: now)
    case .focus: return false
    }
  }

  /// Whether printable keys go into a field now.
  var isTyping: Bool { focusedInput != nil }

  private var focusedInput: (any InputTarget)? {
    reach.focusedInput
  }

  private func handle(_ chord: KeyChord, at now: ContinuousClock.Instant) -> Bool {
    if matcher.pending.isEmpty {
      if let input = focusedInput, input.handle(chord) { return true }
      for node in reach.keyNodes.reversed() {
        for handler in node.keyHandlers.reversed() where handler.chord == chord {
          if handler.run() { return true }
        }
      }
    }
    let handlers = handlers()
    let reachable = Set(handlers.map(\.id))
    let candidates = actions.table.actions.filter { reachable.contains($0.id) }
    defer { actions.pendingChanged(matcher.pending) }
    switch matcher.feed(chord, candidates: candidates, at: now) {
    case .none: return false
    case .pending: return true
    case .actions(let ids):
      let matching = handlers.reversed().filter { ids.contains($0.id) }
      guard let handler = matching.first(where: { $0.disabledReason == nil }) ?? matching.first
      else { return false }
      run(handler)
      return true
    }
  }

  /// Performs an action as its key would; false when nothing visible handles it.
  @discardableResult
  public func perform(_ id: ActionID) -> Bool {
    update()
    guard let handler = handlers().last(where: { $0.id == id }) else { return false }
    run(handler)
    return true
  }

  /// Says something to the person, where a view listens.
  func tell(_ sentence: String) { reach.onNotice?(sentence) }

  private func run(_ handler: ActionHandler) {
    guard let reason = handler.disabledReason else { return handler.run() }
    if let action = actions.table[handler.id] { reach.onRefusal?(action, reason) }
  }

  /// Shows what can follow the keys typed so far, once 300 ms have passed.
  func showContinuations(at now: ContinuousClock.Instant) {
    let reachable = Set(handlers().map(\.id))
    let candidates = actions.table.actions.filter { reachable.contains($0.id) }
    actions.continuations = matcher.continuations(candidates: candidates, at: now).map {
      ActionCatalog.Continuation(keys: $0.keys, action: $0.action)
    }
  }
}

private struct RootView: PrimitiveView {
  let content: AnyView

  func update(_ node: Node) { node.child(content) }
}

/// Whatever takes keys before the table does: a text field.
@MainActor protocol InputTarget: AnyObject {
  var isFocused: Bool { get }
  func handle(_ chord: KeyChord) -> Bool
  func paste(_ text: String) -> Bool
}

/// Whatever a click or the wheel acts on.
@MainActor protocol MouseTarget: AnyObject {
  /// True takes the event; whoever takes a press gets what follows until the release.
  func handle(_ event: MouseEvent) -> Bool

  /// Whether the second press of a double click does what Enter does.
  var opensOnDoubleClick: Bool { get }
}

extension MouseTarget {
  var opensOnDoubleClick: Bool { false }
}
