import FoundationEssentials
import RallyDomain
import RallyWire
import TerminalKit

/// Where the cursor is in the mission composer.
enum ComposerFocus: Hashable {
  case field(FieldProblem.Field)
  case objective(UUID, ObjectiveProblem.Part)
  case addObjective
  case send

  /// The objective that the cursor is in.
  var objectiveID: UUID? { if case .objective(let id, _) = self { id } else { nil } }

  /// Whether one of a few values is chosen there.
  var isChoice: Bool {
    [.field(.visibility), .field(.repeats), .field(.live)].contains(self)
  }

  /// Whether letters are typed there.
  var isText: Bool {
    switch self {
    case .field: !isChoice
    case .objective: true
    case .addObjective, .send: false
    }
  }
}

/// One line of the mission composer.
enum ComposerRow: Hashable, Identifiable {
  case focusable(ComposerFocus)
  /// Of the focus above it.
  case problem(ComposerFocus, String)
  case suggestion(Int, Place)
  case heading

  var id: Self { self }

  typealias Draft = MissionComposerReducer.State

  /// The lines of the form, the objective with the cursor opened.
  ///
  /// - Parameter left: Where the cursor has been before: what is wrong with the place that is typed
  ///   into is said only there.
  @MainActor
  static func rows(
    _ draft: Draft, focus: ComposerFocus, left: Set<ComposerFocus> = [], suggestions: [Place]
  ) -> [ComposerRow] {
    var rows: [ComposerRow] = []
    func add(_ place: ComposerFocus, problem: String? = nil) {
      rows.append(.focusable(place))
      if place == focus {
        rows += suggestions.enumerated().map { .suggestion($0.offset, $0.element) }
        if !left.contains(place) { return }
      }
      if let problem { rows.append(.problem(place, problem)) }
    }
    for field in draft.fields where field != .objectives {
      add(.field(field), problem: draft.problem(on: field)?.advice)
    }
    rows.append(.heading)
    for objective in draft.form.objectives {
      let problem = draft.problem(on: objective)
      for part in parts(of: objective, isOpen: focus.objectiveID == objective.id) {
        // Closed, the row shows what is wrong in any part of it.
        let isBlamed = problem?.part == part || focus.objectiveID != objective.id
        add(.objective(objective.id, part), problem: isBlamed ? problem?.problem.advice : nil)
      }
    }
    add(.addObjective)
    add(.send)
    return rows
  }

  /// The places that the cursor goes through, from top to bottom.
  @MainActor
  static func stops(_ draft: Draft, focus: ComposerFocus) -> [ComposerFocus] {
    rows(draft, focus: focus, suggestions: []).compactMap {
      if case .focusable(let place) = $0 { place } else { nil }
    }
  }

  /// How many lines below the cursor are seen with it: what is wrong there, the places that fit, and
  /// the rest of an opened objective.
  static func rowsBelow(_ focus: ComposerFocus, in rows: [ComposerRow]) -> Int {
    guard let index = rows.firstIndex(of: .focusable(focus)) else { return 0 }
    return rows[(index + 1)...].prefix { row in
      switch row {
      case .suggestion, .problem: true
      case .focusable(let place): place.objectiveID != nil && place.objectiveID == focus.objectiveID
      case .heading: false
      }
    }.count
  }

  private static func parts(
    of objective: ObjectiveEntry, isOpen: Bool
  ) -> [ObjectiveProblem.Part] {
    if !isOpen { return [.title] }
    // A radius belongs to a place of its own.
    return objective.place.isEmpty
      ? [.title, .place, .count] : [.title, .place, .radius, .count]
  }
}

extension MissionComposerReducer.State {
  /// Where the cursor belongs after a failed submit.
  var firstProblem: ComposerFocus? {
    guard let field = firstProblemField else { return nil }
    guard field == .objectives else { return .field(field) }
    return form.objectives.lazy.compactMap(problem).first.map { .objective($0.objective, $0.part) }
  }

  /// The entry that the cursor types a place into.
  func placeEntry(at focus: ComposerFocus) -> PlaceEntry? {
    switch focus {
    case .field(.place): form.place
    case .objective(let id, .place): form.objectives.first { $0.id == id }?.place
    default: nil
    }
  }
}
