/// What of the visible tree overlays others or takes keys, gathered in one walk.
@MainActor struct Reach {
  let structure: Int
  private(set) var overlays: [Node] = []
  /// Outer ones first; with a modal open, only its own and the global ones.
  private(set) var handlers: [ActionHandler] = []
  private(set) var keyHandlers: [KeyHandler] = []
  private(set) var inputs: [any InputTarget] = []
  private(set) var mouseNodes: [Node] = []
  private(set) var onRefusal: (@MainActor (Action, String) -> Void)?

  init(root: Node?, structure: Int) {
    self.structure = structure
    root?.walk { node in
      if node.isOverlay { overlays.append(node) }
      onRefusal = node.onRefusal ?? onRefusal
    }
    let modal = overlays.last { $0.isModal }
    if modal != nil { root?.walk { handlers += $0.actionHandlers.filter(\.isGlobal) } }
    (modal ?? root)?.walk { node in
      handlers += node.actionHandlers
      keyHandlers += node.keyHandlers
      if let input = node.input { inputs.append(input) }
      if node.mouse != nil { mouseNodes.append(node) }
    }
  }
}
