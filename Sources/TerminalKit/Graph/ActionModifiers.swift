/// Attaches handlers to its content; draws nothing itself.
package struct HandlerView: PrimitiveView {
  let content: AnyView
  var actions: [ActionHandler] = []
  var key: KeyHandler?
  var hints: [ActionID] = []

  package init(
    content: AnyView, actions: [ActionHandler] = [], key: KeyHandler? = nil,
    hints: [ActionID] = []
  ) {
    self.content = content
    self.actions = actions
    self.key = key
    self.hints = hints
  }

  public func update(_ node: Node) {
    node.actionHandlers = actions
    node.keyHandlers = key.map { [$0] } ?? []
    node.shownHints = hints
    node.child(content)
  }
}

struct NoticeView: PrimitiveView {
  let content: AnyView
  let notify: @MainActor (String) -> Void

  public func update(_ node: Node) {
    node.onNotice = notify
    node.child(content)
  }
}

struct DisabledActionView: PrimitiveView {
  let content: AnyView
  let notify: @MainActor (Action, String) -> Void

  public func update(_ node: Node) {
    node.onRefusal = notify
    node.child(content)
  }
}

extension View {
  /// Receives notices of controls, such as that a text field is full.
  package func onNotice(_ notify: @escaping @MainActor (_ sentence: String) -> Void) -> some View {
    NoticeView(content: AnyView(self), notify: notify)
  }

  /// Called with the reason when a disabled action's key is pressed.
  public func onDisabledAction(
    _ notify: @escaping @MainActor (_ action: Action, _ reason: String) -> Void
  ) -> some View {
    DisabledActionView(content: AnyView(self), notify: notify)
  }

  /// Handles an action of the table while this view is visible.
  ///
  /// The innermost handler wins, then the later sibling; a modal hides handlers outside of it.
  ///
  /// - Parameters:
  ///   - disabled: Why the action is not available, as a sentence; it stays listed.
  ///   - isGlobal: Keeps the handler active while a modal is open (cancel, suspend, repaint).
  public func onAction(
    _ id: ActionID, disabled: String? = nil, isGlobal: Bool = false,
    _ run: @escaping @MainActor () -> Void
  ) -> some View {
    onActions([ActionHandler(id, disabled: disabled, isGlobal: isGlobal, run)])
  }

  /// Handles an action of the table while this view is visible.
  ///
  /// - Parameters:
  ///   - isOffered: False registers no handler, without changing the structure of the view.
  ///   - disabled: Why the action is not available, as a sentence; it stays listed.
  ///   - isGlobal: Keeps the handler active while a modal is open (cancel, suspend, repaint).
  public func onAction(
    _ action: Action, if isOffered: Bool = true, disabled: String? = nil, isGlobal: Bool = false,
    _ run: @escaping @MainActor () -> Void
  ) -> some View {
    onActions(isOffered ? [ActionHandler(action, disabled: disabled, isGlobal: isGlobal, run)] : [])
  }

  /// Handles several actions while this view is visible; for the same action the later handler
  /// wins.
  ///
  /// Uses a single node instead of one per action.
  package func onActions(_ actions: [ActionHandler]) -> some View {
    HandlerView(content: AnyView(self), actions: actions)
  }

  /// Says that this view shows the keys of these actions; the footer then leaves them out.
  package func showsHints(of actions: [ActionID]) -> some View {
    HandlerView(content: AnyView(self), hints: actions)
  }

  /// Handles a key before key bindings; `run` returns true to consume it.
  public func onKey(_ chord: KeyChord, _ run: @escaping @MainActor () -> Bool) -> some View {
    HandlerView(content: AnyView(self), key: KeyHandler(chord: chord, run: run))
  }
}

extension View {
  /// Handles those of the actions that are available while this view is visible.
  public func actions<Context>(
    _ actions: [FeatureAction<Context>], in context: Context
  ) -> some View {
    onActions(actions.handlers(in: context))
  }
}
