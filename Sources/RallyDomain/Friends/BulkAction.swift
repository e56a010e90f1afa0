/// An action that can be applied to several people.
public enum BulkAction: Hashable, Sendable, CaseIterable {
  case accept, decline, cancel, unfriend, block, ask

  /// The action that undoes it; nil if it cannot be undone.
  public var inverse: BulkAction? {
    switch self {
    case .ask: .cancel
    case .cancel: .ask
    case .accept, .decline, .unfriend, .block: nil
    }
  }
}
