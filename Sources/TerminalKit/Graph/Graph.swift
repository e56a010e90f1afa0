import RallyEnvironment

/// The node tree of a root view, and its three passes: bodies, layout, drawing.
///
/// Only the first pass is observed, and it runs only where something changed. Resizing, scrolling
/// and animation frames only lay out and draw.
@MainActor public final class Graph {
  /// The actions available now, for the footer, the help and the command line.
  public let actions: ActionCatalog
  public private(set) var size: Size
  /// Called when a repaint is needed; possibly several times per frame.
  var onInvalidate: @MainActor () -> Void = {}

  var nodeCount = 0
  var bodyDepth = 0 { didSet { Self.isReadingBody = bodyDepth > 0 } }
  /// True while a body runs; state must not be written then.
  private(set) static var isReadingBody = false
  /// Total number of rows built by lists; for tests.
  public internal(set) var builtRows = 0
  /// Whether to draw for a screen reader; see `PlainGlyphs`.
  var isPlain = false
  /// Counts observation registrations in tests; nil otherwise.
  var registrationCount: RegistrationCount?
  /// Counts changes of which nodes handle input, and in which order.
  private(set) var structure = 0
  /// Counts changes of which subtrees are hidden.
  private(set) var visibility = 0
  /// Counts changes of the available actions and the hints that are shown.
  private(set) var offers = 0
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
  /// Invalidated nodes of hidden subtrees, which are updated when those are shown.
  private var postponed: [Node] = []
  private var pendingWork: [@MainActor () -> Void] = []
  private var reachCache: InputScope?
  /// Nodes whose bodies ran since the last layout.
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
      graph: self, key: .init(id: ChildID(), type: ObjectIdentifier(Graph.self)), parent: nil,
      environment: environment)
    self.root = node
    actions.graph = self
    node.layout = StackLayout(axis: .vertical, horizontal: .leading, vertical: .top, spacing: 0)
    node.apply(RootView(content: AnyView(root)))
  }

  isolated deinit { close() }

  /// Removes all nodes and cancels their tasks.
  public func close() {
    actions.graph = nil
    root?.remove()
    root = nil
    dirty = []
    postponed = []
    changed = []
    pendingWork = []
  }

  public func resize(to size: Size) {
    guard size != self.size else { return }
    self.size = size
    geometry.size = size
    onInvalidate()
  }

  /// Invalidates the whole layout.
  package func invalidateLayout() {
    laidOutSize = nil
    onInvalidate()
  }

  // MARK: First pass: bodies

  func invalidated(_ node: Node) {
    guard !node.isPostponed else { return postponed.append(node) }
    dirty.append(node)
    onInvalidate()
  }

  /// Takes up the postponed nodes of a subtree that is visible again.
  func hasShown() {
    let nodes = postponed
    postponed = []
    for node in nodes where node.isAlive { invalidated(node) }
  }

  package func afterUpdate(_ work: @escaping @MainActor () -> Void) { pendingWork.append(work) }

  func structureChanged() {
    structure += 1
    offersChanged()
  }

  func visibilityChanged() { visibility += 1 }

  func offersChanged() { offers += 1 }

  /// Marks a node for layout after its body ran.
  func contentChanged(_ node: Node) { changed.append(node) }

  public var needsUpdate: Bool { !dirty.isEmpty || !pendingWork.isEmpty }

  /// Runs the bodies of invalidated nodes and then the work they scheduled, repeatedly until
  /// nothing changes (at most 20 rounds).
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

  /// Places changed nodes, each from its nearest ancestor whose size is unaffected; after a resize
  /// everything.
  private func layout() {
    guard let root, laidOutSize != size || !changed.isEmpty else { return }
    let nodes = changed.filter(\.isAlive).sorted { $0.depth > $1.depth }
    changed = []
    if laidOutSize == size {
      // Measure all nodes, inner ones first, before placing any: a measurement made before another
      // node's change would be stale.
      let outermost = nodes.flatMap { $0.outermostChanges() }.sorted { $0.depth < $1.depth }
      var placed: Set<ObjectIdentifier> = []
      for node in outermost where placed.insert(ObjectIdentifier(node)).inserted {
        node.place(in: node.frame)
      }
    } else {
      laidOutSize = size
      layoutPass += 1
      root.frame = Rect(origin: .zero, size: size)
      root.place(in: root.frame)
    }
    for overlay in reach.overlays { overlay.place(in: root.frame) }
  }

  // MARK: Third pass: drawing

  /// Updates, lays out and draws the whole tree; returns the cursor and the delay until the next
  /// requested frame.
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
    frame.groundRules()
    for overlay in reach.overlays {
      if overlay.isModal { frame.cursor = nil }
      frame.rules = []
      overlay.draw(canvas)
      frame.joinRules()
    }
    return (isPlain ? parked(frame.cursor) : frame.cursor, frame.nextFrame)
  }

  /// The cursor for plain mode: always visible, since screen readers follow it; by default at the
  /// start of the content.
  private func parked(_ cursor: Cursor?) -> Cursor {
    let row = min(PlainFrame.insets.top, max(0, size.height - 1))
    return Cursor(position: cursor?.position ?? Point(x: 0, y: row), isVisible: true)
  }

  // MARK: Keys

  /// Visible nodes that handle input; cached until the tree's structure changes.
  private var reach: InputScope {
    if let reachCache, reachCache.structure == structure { return reachCache }
    let fresh = InputScope(root: root, structure: structure)
    reachCache = fresh
    return fresh
  }

  func handlers() -> [ActionHandler] { reach.handlers() }

  var shownHints: Set<ActionID> { reach.shownHints }

  /// Outer nodes first.
  var mouseNodes: [Node] { reach.mouseNodes }

  /// Dispatches an event; returns whether it was handled.
  @discardableResult
  public func handle(_ event: InputEvent, at now: ContinuousClock.Instant = .now) -> Bool {
    update()
    switch event {
    case .key(let chord): return handle(chord, at: now)
    case .letter(let chord, let place):
      return handle(isTyping || hasMeaning(chord) ? chord : place, at: now)
    case .paste(let text):
      guard let input = focusedInput else {
        notify("Nothing here takes pasted text.")
        return false
      }
      return input.paste(text)
    case .mouse(let mouse): return handle(mouse, at: now)
    case .focus: return false
    }
  }

  /// Whether a focused text field receives printable keys.
  var isTyping: Bool { focusedInput != nil }

  private var focusedInput: (any InputTarget)? { reach.focusedInput }

  private func handle(_ chord: KeyChord, at now: ContinuousClock.Instant) -> Bool {
    if matcher.pending.isEmpty {
      if let input = focusedInput, input.handle(chord) { return true }
      for node in reach.keyNodes.reversed() {
        for handler in node.keyHandlers.reversed() where handler.chord == chord {
          if handler.run() { return true }
        }
      }
    }
    let isWithinSequence = !matcher.pending.isEmpty
    let candidates = candidates([matcher.pending.first ?? chord, chord])
    defer { actions.pendingChanged(matcher.pending) }
    switch matcher.feed(chord, candidates: candidates, at: now) {
    case .none:
      // Esc and a character that a slow connection joined look like the character with Alt. Without
      // Esc the next keys would go to what was to be left.
      guard case .character = chord.key, chord.modifiers.contains(.alt), !isWithinSequence else {
        return false
      }
      return handle(.key(KeyChord(.escape)), at: now)
    case .pending: return true
    case .actions(let ids):
      let matching = reach.handlers { ids.contains($0) }
      guard let handler = matching.last(where: { $0.disabledReason == nil }) ?? matching.last
      else { return false }
      run(handler)
      return true
    }
  }

  /// Whether a key does something here, on its own or after the keys of a sequence so far.
  private func hasMeaning(_ chord: KeyChord) -> Bool {
    if matcher.pending.isEmpty,
      reach.keyNodes.contains(where: { $0.keyHandlers.contains { $0.chord == chord } })
    {
      return true
    }
    let typed = matcher.pending + [chord]
    return candidates([typed[0]]).contains { action in
      action.keys.contains { $0.chords.starts(with: typed) }
    }
  }

  /// The actions with a handler and with keys that begin with one of the chords.
  private func candidates(_ chords: some Sequence<KeyChord>) -> [Action] {
    let actions = actions.table.actions(beginningWith: chords)
    let ids = actions.map(\.id)
    let handled = reach.handlers { ids.contains($0) }.map(\.id)
    return actions.filter { handled.contains($0.id) }
  }

  /// Performs an action as its key would; false if no visible view handles it.
  @discardableResult
  public func perform(_ id: ActionID) -> Bool {
    update()
    guard let handler = reach.handlers(where: { $0 == id }).last else { return false }
    run(handler)
    return true
  }

  /// Shows a notice to the person through the innermost `onNotice` handler, if any.
  func notify(_ sentence: String) { reach.onNotice?(sentence) }

  private func run(_ handler: ActionHandler) {
    guard let reason = handler.disabledReason else { return handler.run() }
    if let action = actions.table[handler.id] { reach.onRefusal?(action, reason) }
  }

  /// Publishes the possible continuations of a half-typed key sequence, once 300 ms have passed.
  func showContinuations(at now: ContinuousClock.Instant) {
    let candidates = candidates(matcher.pending.prefix(1))
    actions.continuations = matcher.continuations(candidates: candidates, at: now).map {
      ActionCatalog.Continuation(keys: $0.keys, action: $0.action)
    }
  }
}

/// The visible nodes that are overlays or handle input, collected in one walk.
///
/// Stores nodes, not handlers: when a body changes the handlers of a node, this stays valid.
@MainActor struct InputScope {
  let structure: Int
  private(set) var overlays: [Node] = []
  /// Outer nodes first; only those inside the modal while one is open.
  private var actionNodes: [Node] = []
  /// All nodes with actions while a modal is open; only their global handlers count.
  private var coveredNodes: [Node] = []
  private var hintNodes: [Node] = []
  private(set) var keyNodes: [Node] = []
  private(set) var inputNodes: [Node] = []
  private(set) var mouseNodes: [Node] = []
  private var refusalNode: Node?
  private var noticeNode: Node?

  init(root: Node?, structure: Int) {
    self.structure = structure
    root?.walk { node in
      if node.isOverlay { overlays.append(node) }
      if node.onRefusal != nil { refusalNode = node }
      if node.onNotice != nil { noticeNode = node }
    }
    let modal = overlays.last { $0.isModal }
    if modal != nil {
      root?.walk { if !$0.actionHandlers.isEmpty { coveredNodes.append($0) } }
    }
    (modal ?? root)?.walk { node in
      if !node.actionHandlers.isEmpty { actionNodes.append(node) }
      if !node.shownHints.isEmpty { hintNodes.append(node) }
      if !node.keyHandlers.isEmpty { keyNodes.append(node) }
      if node.input != nil { inputNodes.append(node) }
      if node.mouse != nil { mouseNodes.append(node) }
    }
  }

  /// Outer ones first.
  ///
  /// - Parameter isWanted: Tells by its action whether a handler is wanted.
  func handlers(where isWanted: (ActionID) -> Bool = { _ in true }) -> [ActionHandler] {
    var handlers: [ActionHandler] = []
    for node in coveredNodes {
      for handler in node.actionHandlers where handler.isGlobal && isWanted(handler.id) {
        handlers.append(handler)
      }
    }
    for node in actionNodes {
      for handler in node.actionHandlers where isWanted(handler.id) { handlers.append(handler) }
    }
    return handlers
  }

  /// Actions whose keys stand beside what they do; those inside the modal while one is open.
  var shownHints: Set<ActionID> { hintNodes.reduce(into: []) { $0.formUnion($1.shownHints) } }

  var focusedInput: (any InputTarget)? {
    for node in inputNodes.reversed() {
      if let input = node.input, input.isFocused { return input }
    }
    return nil
  }

  var onRefusal: (@MainActor (Action, String) -> Void)? { refusalNode?.onRefusal }
  var onNotice: (@MainActor (String) -> Void)? { noticeNode?.onNotice }
}

private struct RootView: PrimitiveView {
  let content: AnyView

  func update(_ node: Node) { node.child(content) }
}

/// Receives keys before key bindings: a text field.
@MainActor protocol InputTarget: AnyObject {
  var isFocused: Bool { get }
  func handle(_ chord: KeyChord) -> Bool
  func paste(_ text: String) -> Bool
}

/// Receives mouse events.
@MainActor protocol MouseTarget: AnyObject {
  /// Returns true to consume the event. The consumer of a press also receives drags until the
  /// release.
  func handle(_ event: MouseEvent) -> Bool

  /// Whether a double click acts like Enter.
  var opensOnDoubleClick: Bool { get }
}

extension MouseTarget {
  var opensOnDoubleClick: Bool { false }
}

/// Screen layout in plain mode: the same rows on every tab.
enum PlainFrame {
  /// Tabs and the last notice above the content, status and key hints below.
  static let insets = EdgeInsets(top: 2, leading: 0, bottom: 2, trailing: 0)
}
