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

/// The whole declaration of an action, beside the view that performs it: what the table has of it,
/// when it is available and what it does.
///
/// Declared as a static member of the view, with the view as its context; the view attaches all of
/// its actions with `actions(_:in:)`. The table holds `action` of every feature, so the help,
/// `rally keys` and the configuration have actions whose views are not shown.
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

  /// The part of a handler that decides what is offered; what it runs cannot be compared.
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

/// The actions of every list.
package enum ListActions {
  package static let down = movement(
    "move-down", "down", "Select the next row.", keys: ["j", "down"],
    footer: FooterPlace(rank: 290, label: "move", partners: [up.id]), run: { $0.move(by: 1) })

  package static let up = movement(
    "move-up", "up", "Select the row before.", keys: ["k", "up"], run: { $0.move(by: -1) })

  package static let last = movement(
    "last", "last", "Select the last row.", keys: ["G", "End"], run: { $0.move(by: $0.count) })

  package static let new = movement(
    "to-new", "new rows", "Select the nearest row above that is new, or the first one.",
    keys: ["g n"], run: { $0.moveToNew() })

  package static let all = [
    down, up,
    movement(
      "first", "first", "Select the first row.", keys: ["g g", "Home"],
      run: { $0.move(by: -$0.count) }),
    last,
    movement(
      "half-page-down", "half down", "Move half a page down.", keys: ["^D"],
      run: { $0.move(by: max(1, $0.pageRows / 2)) }),
    movement(
      "half-page-up", "half up", "Move half a page up.", keys: ["^U"],
      run: { $0.move(by: -max(1, $0.pageRows / 2)) }),
    movement(
      "page-down", "page down", "Move a page down.", keys: ["PgDn"],
      run: { $0.move(by: $0.pageRows) }),
    movement(
      "page-up", "page up", "Move a page up.", keys: ["PgUp"], run: { $0.move(by: -$0.pageRows) }),
    new,
  ]

  private static func movement(
    _ id: ActionID, _ title: String, _ summary: String, keys: [KeySequence],
    footer: FooterPlace? = nil, run: @escaping @MainActor (any MovableSelection) -> Void
  ) -> FeatureAction<any MovableSelection> {
    FeatureAction(
      id: id, title: title, summary: summary, keys: keys, section: "Moving", footer: footer,
      run: run)
  }
}

/// A list whose selection can be moved.
@MainActor package protocol MovableSelection: AnyObject {
  var count: Int { get }
  /// Rows that fit on the screen, at least 1.
  var pageRows: Int { get }
  func move(by distance: Int)
  func moveToNew()
}
