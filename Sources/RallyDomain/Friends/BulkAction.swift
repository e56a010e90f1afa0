import Foundation

/// What can be done with many people at once.
public enum BulkAction: Hashable, Sendable, CaseIterable {
  case accept, decline, cancel, unfriend, block, ask

  /// What restores how things were; nil where nothing does.
  public var inverse: BulkAction? {
    switch self {
    case .ask: .cancel
    case .cancel: .ask
    case .accept, .decline, .unfriend, .block: nil
    }
  }
}
