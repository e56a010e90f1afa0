/// Identifies an action: `missions.accept`. The configuration's key map accepts it as well as the
/// action's name.
public struct ActionID: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }
  public init(_ rawValue: String) { self.rawValue = rawValue }
  public init(stringLiteral value: String) { rawValue = value }

  public var description: String { rawValue }
}

/// A command that keys can be bound to, with its texts for the footer, the help and the command
/// line.
public struct Action: Hashable, Sendable, Identifiable {
  public var id: ActionID
  /// The command line's name for it: `accept`.
  public var name: String
  /// One word for the footer: `accept`.
  public var title: String
  /// A sentence for the help.
  public var summary: String
  /// All key bindings; hints show the first one.
  public var keys: [KeySequence]
  /// The heading under which the help lists it.
  public var section: String

  public init(
    id: ActionID, name: String? = nil, title: String, summary: String, keys: [KeySequence],
    section: String
  ) {
    self.id = id
    self.name = name ?? id.rawValue
    self.title = title
    self.summary = summary
    self.keys = keys
    self.section = section
  }
}

/// All actions, in the order in which the help lists them.
public struct ActionTable: Sendable {
  public private(set) var actions: [Action]
  private var indices: [ActionID: Int]
  /// Whether hints spell out keys as words, for screen readers.
  var spellsKeys = false

  /// If an id occurs twice, the later action replaces the earlier one.
  public init(_ actions: [Action]) {
    self.actions = []
    indices = [:]
    for action in actions {
      if let index = indices[action.id] {
        self.actions[index] = action
      } else {
        indices[action.id] = self.actions.count
        self.actions.append(action)
      }
    }
  }

  public subscript(id: ActionID) -> Action? { indices[id].map { actions[$0] } }

  /// The action with this command-line name.
  public func action(named name: String) -> Action? { actions.first { $0.name == name } }

  public func keys(for id: ActionID) -> [KeySequence] { self[id]?.keys ?? [] }

  /// The key to show in a hint; empty if the action has none.
  public func hint(for id: ActionID) -> String { keys(for: id).first.map(name) ?? "" }

  /// The keys as hints show them: compact, or spelled out for screen readers.
  package func name(of keys: KeySequence) -> String { spellsKeys ? keys.spoken : keys.description }

  /// The key, or the command to type if there is no key: `:accept`.
  public func way(to id: ActionID) -> String {
    let key = hint(for: id)
    return key.isEmpty ? ":\(self[id]?.name ?? id.rawValue)" : key
  }

  public var sections: [String] {
    actions.reduce(into: []) { if !$0.contains($1.section) { $0.append($1.section) } }
  }

  /// Key sequences bound to several actions.
  public var conflicts: [(keys: KeySequence, actions: [ActionID])] {
    var claims: [KeySequence: [ActionID]] = [:]
    for action in actions {
      for keys in action.keys { claims[keys, default: []].append(action.id) }
    }
    return claims.filter { $0.value.count > 1 }.map { ($0.key, $0.value) }
      .sorted { $0.0.description < $1.0.description }
  }
}
