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
  /// Other sections whose screens handle it too, so that its keys must not be used there.
  public var otherSections: Set<String>
  /// Its place among the hints of the footer; nil if it has none.
  public var footer: FooterPlace?

  /// - Parameters:
  ///   - name: By default the last part of the id: `accept` of `friends.accept`.
  ///   - title: By default the name, with blanks for hyphens.
  public init(
    id: ActionID, name: String? = nil, title: String? = nil, summary: String,
    keys: [KeySequence], section: String, otherSections: Set<String> = [],
    footer: FooterPlace? = nil
  ) {
    let name = name ?? id.rawValue.split(separator: ".").last.map(String.init) ?? id.rawValue
    self.id = id
    self.name = name
    self.title = title ?? name.replacing("-", with: " ")
    self.summary = summary
    self.keys = keys
    self.section = section
    self.otherSections = otherSections
    self.footer = footer
  }
}

/// The place of an action among the hints of the footer: `footer: 310`.
public struct FooterPlace: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// Hints are sorted by rank, the smallest first.
  public var rank: Int
  /// The word of the hint; nil takes the action's title.
  public var label: String?
  /// Actions that share the hint, in the order of their keys: `j/k move`.
  public var partners: [ActionID]

  public init(rank: Int, label: String? = nil, partners: [ActionID] = []) {
    self.rank = rank
    self.label = label
    self.partners = partners
  }

  public init(integerLiteral rank: Int) { self.init(rank: rank) }
}

/// All actions, in the order in which the help lists them.
public struct ActionTable: Sendable {
  public private(set) var actions: [Action]
  private var indices: [ActionID: Int]
  /// The indices of the actions whose keys begin with each chord.
  private var beginnings: [KeyChord: Set<Int>] = [:]
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
    for (index, action) in self.actions.enumerated() {
      for chord in action.keys.compactMap(\.chords.first) {
        beginnings[chord, default: []].insert(index)
      }
    }
  }

  /// The actions with keys that begin with one of these chords, in the order of the table.
  func actions(beginningWith chords: some Sequence<KeyChord>) -> [Action] {
    chords.reduce(into: Set()) { $0.formUnion(beginnings[$1] ?? []) }.sorted().map { actions[$0] }
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

  public func way(to action: Action) -> String { way(to: action.id) }
}

// Actions that modals and text fields handle by themselves; those of lists are `ListActions`.

extension Action {
  /// Goes back one step; closes a modal.
  public static let back = Action(
    id: "back", summary: "One step back; never quits.", keys: ["Esc"], section: "Everywhere",
    otherSections: ["Forms"], footer: 540)

  /// Submits a text field.
  public static let submit = Action(
    id: "submit", title: "go on", summary: "Send the form, or go to the field that is wrong.",
    keys: ["Enter"], section: "Forms", footer: 20)

  /// List movement, for an application's action table.
  public static let movement = ListActions.all.map(\.action)
}
