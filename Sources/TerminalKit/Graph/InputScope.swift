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
  var shownHints: Set<ActionID> {
    hintNodes.reduce(into: []) { $0.formUnion($1.shownHints) }
  }

  var focusedInput: (any InputTarget)? {
    for node in inputNodes.reversed() {
      if let input = node.input, input.isFocused { return input }
    }
    return nil
  }

  var onRefusal: (@MainActor (Action, String) -> Void)? { refusalNode?.onRefusal }
  var onNotice: (@MainActor (String) -> Void)? { noticeNode?.onNotice }
}
