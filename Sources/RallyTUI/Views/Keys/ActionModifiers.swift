/// What a view does for an action while it is visible.
@MainActor struct ActionHandler {
  let id: ActionID
  let disabledReason: String?
  let isGlobal: Bool
  let run: @MainActor () -> Void

  init(id: ActionID, disabledReason: String?, isGlobal: Bool, run: @escaping @MainActor () -> Void)
  {
    self.id = id
    self.disabledReason = disabledReason
    self.isGlobal = isGlobal
    self.run = run
  }

  /// - Parameters:
  ///   - disabled: Why the act cannot be done now, as a sentence; the action stays listed.
  ///   - isGlobal: Keeps the handler reachable while a modal is open (cancel, suspend, repaint).
  init(
    _ id: ActionID, disabled: String? = nil, isGlobal: Bool = false,
    _ run: @escaping @MainActor () -> Void
  ) {
    self.init(id: id, disabledReason: disabled, isGlobal: isGlobal, run: run)
  }
}

@MainActor struct KeyHandler {
  let chord: KeyChord
  let run: @MainActor () -> Bool
}

/// Content with handlers beside it; adds nothing to the screen.
struct HandlerView: PrimitiveView {
  let content: AnyView
  var actions: [ActionHandler] = []
  var key: KeyHandler?

  public func update(_ node: Node) {
    node.actionHandlers = actions
    node.keyHandlers = key.map { [$0] } ?? []
    node.child(content)
  }
}

struct NoticeView: PrimitiveView {
  let content: AnyView
  let tell: @MainActor (String) -> Void

  public func update(_ node: Node) {
    node.onNotice = tell
    node.child(content)
  }
}

struct RefusalView: PrimitiveView {
  let content: AnyView
  let tell: @MainActor (Action, String) -> Void

  public func update(_ node: Node) {
    node.onRefusal = tell
    node.child(content)
  }
}

extension View {
  /// Hears what a control has to say, such as that a field takes no more.
  func onNotice(_ tell: @escaping @MainActor (_ sentence: String) -> Void) -> some View {
    NoticeView(content: AnyView(self), tell: tell)
  }

  /// Hears why an action was not done whose key was pressed while it is disabled.
  public func onDisabledAction(
    _ tell: @escaping @MainActor (_ action: Action, _ reason: String) -> Void
  ) -> some View {
    RefusalView(content: AnyView(self), tell: tell)
  }

  /// Performs an action of the table while this view is visible.
  ///
  /// The innermost handler of an action wins, then the later sibling; a modal hides those below.
  ///
  /// - Parameters:
  ///   - disabled: Why the act cannot be done now, as a sentence; the action stays listed.
  ///   - isGlobal: Keeps the handler reachable while a modal is open (cancel, suspend, repaint).
  public func onAction(
    _ id: ActionID, disabled: String? = nil, isGlobal: Bool = false,
    _ run: @escaping @MainActor () -> Void
  ) -> some View {
    HandlerView(
      content: AnyView(self),
      actions: [ActionHandler(id: id, disabledReason: disabled, isGlobal: isGlobal, run: run)])
  }

  /// Performs several actions while this view is visible; of one action the later handler wins.
  ///
  /// One view, and one node, instead of one around the other for each.
  func onActions(_ actions: [ActionHandler]) -> some View {
    HandlerView(content: AnyView(self), actions: actions)
  }

  /// Sees a key before the table does; true takes it.
  public func onKey(_ chord: KeyChord, _ run: @escaping @MainActor () -> Bool) -> some View {
    HandlerView(content: AnyView(self), key: KeyHandler(chord: chord, run: run))
  }
}
