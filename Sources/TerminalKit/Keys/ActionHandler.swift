/// A view's handler of an action while the view is visible.
@MainActor package struct ActionHandler {
  package let id: ActionID
  let disabledReason: String?
  let isGlobal: Bool
  let run: @MainActor () -> Void

  /// - Parameters:
  ///   - disabled: Why the action is not available, as a sentence; it stays listed.
  ///   - isGlobal: Keeps the handler active while a modal is open (cancel, suspend, repaint).
  package init(
    _ id: ActionID, disabled: String? = nil, isGlobal: Bool = false,
    _ run: @escaping @MainActor () -> Void
  ) {
    self.id = id
    disabledReason = disabled
    self.isGlobal = isGlobal
    self.run = run
  }

  package init(
    _ action: Action, disabled: String? = nil, isGlobal: Bool = false,
    _ run: @escaping @MainActor () -> Void
  ) {
    self.init(action.id, disabled: disabled, isGlobal: isGlobal, run)
  }

  /// What a handler offers, whatever it runs.
  struct Offer: Equatable {
    let id: ActionID
    let disabledReason: String?
    let isGlobal: Bool
  }

  var offer: Offer { Offer(id: id, disabledReason: disabledReason, isGlobal: isGlobal) }
}

@MainActor package struct KeyHandler {
  let chord: KeyChord
  let run: @MainActor () -> Bool
}
