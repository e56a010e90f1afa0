/// The name of an act, as the command line and the key map write it: `friends-accept`.
public struct ActionID: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }
  public init(_ rawValue: String) { self.rawValue = rawValue }
  public init(stringLiteral value: String) { rawValue = value }

  public var description: String { rawValue }
}

/// An act that a key can start: everything that the footer, the help and the command line say.
public struct Action: Hashable, Sendable, Identifiable {
  public var id: ActionID
  /// What the command line calls it: `accept`.
  public var name: String
  /// One word for the footer: `accept`.
  public var title: String
  /// A sentence for the help.
  public var summary: String
  /// All the ways to it; the first one is shown in hints.
  public var keys: [KeySequence]
  /// The heading it stands under in the help.
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

/// All acts there are, in the order in which help lists them.
public struct ActionTable: Sendable {
  public private(set) var actions: [Action]
  private var indices: [ActionID: Int]
  /// Whether hints name keys as words and not as signs: for a screen reader.
  var spellsKeys = false

  /// Of two actions with the same id the later one counts.
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

  /// The action that the command line knows under this name.
  public func action(named name: String) -> Action? { actions.first { $0.name == name } }

  public func keys(for id: ActionID) -> [KeySequence] { self[id]?.keys ?? [] }

  /// The key to show in a hint, in compact form; empty when no key leads there.
  public func hint(for id: ActionID) -> String { keys(for: id).first.map(name) ?? "" }

  /// How hints name these keys.
  func name(of keys: KeySequence) -> String { spellsKeys ? keys.spoken : keys.description }

  /// The key to it, or what to type on the command line where no key leads there.
  public func way(to id: ActionID) -> String {
    let key = hint(for: id)
    return key.isEmpty ? ":\(self[id]?.name ?? id.rawValue)" : key
  }

  public var sections: [String] {
    actions.reduce(into: []) { if !$0.contains($1.section) { $0.append($1.section) } }
  }

  /// Sequences that several actions claim, each with its claimants.
  public var conflicts: [(keys: KeySequence, actions: [ActionID])] {
    var claims: [KeySequence: [ActionID]] = [:]
    for action in actions {
      for keys in action.keys { claims[keys, default: []].append(action.id) }
    }
    return claims.filter { $0.value.count > 1 }.map { ($0.key, $0.value) }
      .sorted { $0.0.description < $1.0.description }
  }
}
