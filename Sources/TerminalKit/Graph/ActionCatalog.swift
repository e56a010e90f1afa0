import Observation
import RallyEnvironment

/// An action that a visible view handles, with a reason if it is disabled.
public struct AvailableAction: Hashable, Sendable, Identifiable {
  public var action: Action
  public var disabledReason: String?

  public var id: ActionID { action.id }
}

/// The actions available on the current screen; read by the footer, the help and the command line.
@MainActor @Observable public final class ActionCatalog {
  public private(set) var table: ActionTable
  /// Set to nil when the graph closes.
  @ObservationIgnored unowned(unsafe) var graph: Graph?
  /// In the order of the table.
  public private(set) var available: [AvailableAction] = []
  /// Whether a text field receives typed characters, so that hints with letters would mislead.
  public private(set) var isTyping = false
  /// Actions whose keys a pane or a sheet shows, so that the footer does not repeat them.
  package private(set) var shownHints: Set<ActionID> = []
  /// The keys of an incomplete sequence.
  public private(set) var pending: [KeyChord] = []
  /// Possible continuations of `pending`; filled after 300 ms.
  public internal(set) var continuations: [Continuation] = []

  @ObservationIgnored private var offered: [ActionHandler.Offer] = []
  /// The graph's `offers` at the last refresh.
  @ObservationIgnored private var seenOffers: Int?

  public struct Continuation: Hashable, Sendable {
    public var keys: KeySequence
    public var action: Action
  }

  public init(table: ActionTable) { self.table = table }

  /// Replaces the key bindings and updates footer, help and hints.
  ///
  /// - Parameter table: The same actions with other keys.
  package func rebind(_ table: ActionTable) {
    let spellsKeys = self.table.spellsKeys
    self.table = table
    self.table.spellsKeys = spellsKeys
    graph?.matcher.reset()
    pendingChanged([])
    offered = []
    available = []
    seenOffers = nil
    refresh()
  }

  /// Performs an action as its key would; false if no visible view handles it.
  @discardableResult
  public func perform(_ id: ActionID) -> Bool { graph?.perform(id) ?? false }

  func refresh() {
    guard let graph else { return }
    if isTyping != graph.isTyping { isTyping = graph.isTyping }
    guard graph.offers != seenOffers else { return }
    seenOffers = graph.offers
    let hints = graph.shownHints
    if shownHints != hints { shownHints = hints }
    let handlers = graph.handlers()
    // Nearly always the same ones.
    guard !handlers.elementsEqual(offered, by: { $0.offer == $1 }) else { return }
    offered = handlers.map(\.offer)
    var reasons: [ActionID: String?] = [:]
    for offer in offered { reasons[offer.id] = .some(offer.disabledReason) }
    let now = table.actions.compactMap { action in
      reasons[action.id].map { AvailableAction(action: action, disabledReason: $0) }
    }
    if now != available { available = now }
  }

  /// The key to show in a hint; nil if no key reaches the action now.
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
  /// The action table and the actions available now.
  public var actions: ActionCatalog {
    get { self[ActionCatalogKey.self] }
    set { self[ActionCatalogKey.self] = newValue }
  }
}
