import TerminalKit

/// A confirmation before an action that is hard to undo.
struct Question: Identifiable {
  let id: ActionID
  /// The question: `Unfriend Ana Pereira?`
  var title: String
  /// The consequences, one sentence per line.
  var consequences: [String]
  /// The label of the action: `Unfriend`.
  var verb: String
  /// The label of the cancel answer: `Keep`.
  var safeVerb: String
  var onConfirm: @MainActor () -> Void
}
