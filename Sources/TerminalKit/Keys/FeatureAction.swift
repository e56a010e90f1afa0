/// The whole declaration of an action, beside the view that performs it: what the table knows of it,
/// when it is available and what it does.
///
/// Declared as a static member of the view, with the view as its context; the view attaches all of
/// its actions with `actions(_:in:)`. The table holds `action` of every feature, so the help,
/// `rally keys` and the configuration know actions whose views are not shown.
public struct FeatureAction<Context>: Sendable {
  public typealias Condition<Value> = @MainActor (Context) -> Value

  public let action: Action
  private let isGlobal: Bool
  private let isShown: Condition<Bool>
  private let disabledReason: Condition<String?>
  private let run: @MainActor (Context) -> Void

  public var id: ActionID { action.id }

  /// A handler of an action that is declared elsewhere.
  ///
  /// Conditions are read in the body of the view that attaches the action.
  ///
  /// - Parameters:
  ///   - isGlobal: Keeps the handler active while a modal is open (cancel, suspend, repaint).
  ///   - shown: False leaves the action out of the help, and its keys to others.
  ///   - disabled: Why the action is not available, as a sentence; it stays listed.
  public init(
    _ action: Action, isGlobal: Bool = false, shown: @escaping Condition<Bool> = { _ in true },
    disabled: @escaping Condition<String?> = { _ in nil },
    run: @escaping @MainActor (Context) -> Void
  ) {
    self.action = action
    self.isGlobal = isGlobal
    isShown = shown
    disabledReason = disabled
    self.run = run
  }

  /// An action with its handler; the parameters are those of `Action` and of the other initialiser.
  public init(
    id: ActionID, name: String? = nil, title: String? = nil, summary: String,
    keys: [KeySequence], section: String, otherSections: Set<String> = [],
    footer: FooterPlace? = nil,
    isGlobal: Bool = false, shown: @escaping Condition<Bool> = { _ in true },
    disabled: @escaping Condition<String?> = { _ in nil },
    run: @escaping @MainActor (Context) -> Void
  ) {
    self.init(
      Action(
        id: id, name: name, title: title, summary: summary, keys: keys, section: section,
        otherSections: otherSections, footer: footer),
      isGlobal: isGlobal, shown: shown, disabled: disabled, run: run)
  }

  /// The handler while the context is as it is now; nil if the action is not shown.
  @MainActor package func handler(in context: Context) -> ActionHandler? {
    guard isShown(context) else { return nil }
    if let reason = disabledReason(context) {
      return ActionHandler(id, disabled: reason, isGlobal: isGlobal) {}
    }
    return ActionHandler(id, isGlobal: isGlobal) { [run] in run(context) }
  }
}

extension Array {
  /// The handlers of those that are shown while the context is as it is now.
  @MainActor func handlers<Context>(in context: Context) -> [ActionHandler]
  where Element == FeatureAction<Context> {
    // A loop: `compactMap` is not specialized in a program that is optimized for size.
    var handlers: [ActionHandler] = []
    for action in self {
      if let handler = action.handler(in: context) { handlers.append(handler) }
    }
    return handlers
  }
}
