import Observation
import RallyDomain

/// An action that something visible handles, with the reason when it cannot be done now.
public struct AvailableAction: Hashable, Sendable, Identifiable {
  public var action: Action
  public var disabledReason: String?

  public var id: ActionID { action.id }
}

/// What can be done on the screen as it is: read by the footer, the help and the command line.
@MainActor @Observable public final class ActionCatalog {
  public private(set) var table: ActionTable
  /// Set to nil by the graph when it ends.
  @ObservationIgnored unowned(unsafe) var graph: Graph?
  /// In the order of the table.
  public private(set) var available: [AvailableAction] = []
  /// Whether a field takes what is typed, so that a hint with a letter would mislead.
  public private(set) var isTyping = false
  /// The keys of a sequence that is half typed.
  public private(set) var pending: [KeyChord] = []
  /// What can follow them; filled after 300 ms.
  public internal(set) var continuations: [Continuation] = []

  private struct Offer {
    let id: ActionID
    let disabledReason: String?
  }

  @ObservationIgnored private var offered: [Offer] = []

  public struct Continuation: Hashable, Sendable {
    public var keys: KeySequence
    public var action: Action
  }

  public init(table: ActionTable) { self.table = table }

  /// Gives actions other keys; footer, help and hints follow.
  ///
  /// - Parameter table: The same actions as before.
  func rebind(_ table: ActionTable) {
    let spellsKeys = self.table.spellsKeys
    self.table = table
    self.table.spellsKeys = spellsKeys
    graph?.matcher.reset()
    pendingChanged([])
    offered = []
    available = []
    refresh()
  }

  /// Performs an action as its key would; false when nothing visible handles it.
  @discardableResult
  public func perform(_ id: ActionID) -> Bool { graph?.perform(id) ?? false }

  func refresh() {
    guard let graph else { return }
    if isTyping != graph.isTyping { isTyping = graph.isTyping }
    let handlers = graph.handlers()
    guard !isOffered(handlers) else { return }
    offered = handlers.map { Offer(id: $0.id, disabledReason: $0.disabledReason) }
    var reasons: [ActionID: String?] = [:]
    for offer in offered { reasons[offer.id] = .some(offer.disabledReason) }
    let now = table.actions.compactMap { action in
      reasons[action.id].map { AvailableAction(action: action, disabledReason: $0) }
    }
    if now != available { available = now }
  }

  /// Whether the handlers offer what they offered before: nearly always, and cheap to see.
  private func isOffered(_ handlers: [ActionHandler]) -> Bool {
    guard handlers.count == offered.count else { return false }
    for (handler, offer) in zip(handlers, offered)
    where handler.id != offer.id || handler.disabledReason != offer.disabledReason { return false }
    return true
  }

  /// The key to show in a hint now; nil when none would reach the action.
  public func hint(for id: ActionID) -> String? {
    let keys = table.keys(for: id)
    return keys.first { !isTyping || $0.chords.first?.typedCharacter == nil }
      .map { table.name(of: $0) }
  }

  func pendingChanged(_ chords: [KeyChord]) {
    guard chords != pending else { return }
    pending = chords
    if !continuations.isEmpty { continuations = [] }
  }
}

private struct ActionCatalogKey: EnvironmentKey {
  static let defaultValue = ActionCatalog(table: ActionTable([]))
}

extension EnvironmentValues {
  /// The key table and what of it can be done now.
  public var actions: ActionCatalog {
    get { self[ActionCatalogKey.self] }
    set { self[ActionCatalogKey.self] = newValue }
  }
}
