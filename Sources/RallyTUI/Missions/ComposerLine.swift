import FoundationEssentials
import RallyDomain
import RallyState
import RallySystem
import RallyText
import RallyWire
import RallyWords
import TerminalKit
import TerminalState

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
    if case .field(let field) = self { field.isChoiceOfMission } else { false }
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

/// A line of the mission composer as it is drawn.
struct ComposerLine: View {
  let store: Store<MissionComposerReducer>
  let row: ComposerRow
  let focus: ComposerFocus
  let marked: Int?
  /// Which suggestion was clicked.
  var onPick: @MainActor (Int) -> Void = { _ in }

  @Environment(\.actions) private var actions

  private static let labelWidth = 12

  var body: some View {
    switch row {
    case .focusable(let place): focusable(place)
    case .problem(_, let advice): Text("              ! \(advice)", .danger)
    case .heading: Text("  Objectives", .title)
    case .suggestion(let index, let place):
      Text(
        "              \((marked ?? 0) == index ? "▸" : " ") \(place.title)",
        (marked ?? 0) == index ? .accent : .dim
      )
      .onClick { onPick(index) }
    }
  }

  @ViewBuilder private func focusable(_ place: ComposerFocus) -> some View {
    switch place {
    case .field(.visibility):
      line(place, "Seen by") { Text(visibility, place == focus ? .selection : .normal) }
    case .field(.repeats):
      line(place, "Repeats", detail: repeatsDetail) {
        Text(repeats, place == focus ? .selection : .normal)
      }
    case .field(.live):
      line(place, "Live") { Text(live, place == focus ? .selection : .normal) }
    case .field(let field):
      line(place, field.label, detail: detail(of: field)) {
        TextField(
          text: store.binding(field.composerPath), placeholder: field.composerHint,
          isFocused: place == focus)
      }
    case .objective(let id, let part): objective(id, part)
    case .addObjective:
      line(place, "") {
        Text("[ Add something to do \(enter) ]", place == focus ? .accent.bold : .dim)
          .onClick { [actions] in actions.perform(MissionComposerForm.addObjective.id) }
      }
    case .send:
      line(place, "") {
        if store.submission.isLoading() {
          ProgressText("Sending… \(actions.table.way(to: .back)) stops waiting")
        } else {
          Text(
            "[ \(store.isNew ? "Create" : "Change") the mission \(enter) ]",
            place == focus ? .accent.bold : .dim
          )
          .onClick { [actions] in actions.perform(MissionComposerForm.send.id) }
        }
      }
    }
  }

  private var enter: String { actions.table.way(to: .submit) }

  private func line(
    _ place: ComposerFocus, _ label: String, detail: String = "",
    @ViewBuilder content: () -> some View
  ) -> some View {
    HStack(spacing: 0) {
      Text(
        "\(place == focus ? "▸" : " ") \(label)".padded(toCells: Self.labelWidth),
        place == focus ? .accent : .normal
      )
      .frame(width: Self.labelWidth)
      content()
      Spacer()
      Text(detail, .dim)
    }
    .frame(height: 1)
    .anchorsCursor(place == focus)
  }

  // MARK: - Objectives

  @ViewBuilder private func objective(_ id: UUID, _ part: ObjectiveProblem.Part) -> some View {
    let place = ComposerFocus.objective(id, part)
    let number = (store.form.objectives.firstIndex { $0.id == id } ?? 0) + 1
    let isOpen = focus.objectiveID == id
    switch part {
    case .title:
      line(place, "  \(number)", detail: isOpen ? "" : summary(of: id)) {
        TextField(
          text: store.objective(id, \.title), placeholder: "what there is to do or to find",
          isFocused: place == focus)
      }
    case .place:
      line(place, "   at") {
        TextField(
          text: store.objective(id, \.place.text), placeholder: "the mission's place",
          isFocused: place == focus)
      }
    case .radius:
      line(place, "   within") {
        TextField(
          text: store.objective(id, \.radius), placeholder: "the mission's radius",
          isFocused: place == focus)
      }
    case .count:
      line(place, "   times") {
        TextField(
          text: store.objective(id, \.count), placeholder: "1 check-in", isFocused: place == focus)
      }
    }
  }

  /// `Lisbon, Portugal · 50 m · 3×`: what differs from the mission's own.
  private func summary(of id: UUID) -> String {
    guard let entry = store.form.objectives.first(where: { $0.id == id }) else { return "" }
    return [
      entry.place.isEmpty ? nil : entry.place.text.cleanedForDisplay,
      entry.place.isEmpty || entry.radius.isEmpty ? nil : entry.radius,
      entry.count.isEmpty || entry.count == "1" ? nil : "\(entry.count)×",
    ].compactMap(\.self).joined(separator: " · ")
  }

  // MARK: - Words

  private var visibility: String {
    switch store.form.visibility {
    case .private: "you alone; nobody can be invited"
    case .invited: "people who are invited"
    case .friends: "your friends, and people who are invited"
    }
  }

  private var repeats: String {
    switch store.form.repeats {
    case nil: "never"
    case .daily: "every day"
    case .weekly: "every week"
    case .fortnightly: "every two weeks"
    case .monthly: "every month"
    }
  }

  /// `= every Tuesday 18:30`
  private var repeatsDetail: String {
    let draft = store.state
    guard (try? draft.startTime()).flatMap(\.self) != nil, var series = draft.series else {
      return ""
    }
    series.until = nil
    return "= \(RepeatSentence.text(series))"
  }

  private var live: String {
    store.form.isLive == true ? "everybody is asked to show the way at the start" : "no"
  }

  /// What the text of a field means, where that is not what it says.
  private func detail(of field: FieldProblem.Field) -> String {
    let draft = store.state
    switch field {
    case .starts: return time(try? draft.startTime(), typed: draft.form.starts)
    case .ends: return time(try? draft.endTime(), typed: draft.form.ends)
    case .until:
      let end = (try? draft.seriesEnd()).flatMap(\.self)
      let day = end.map { WhenText(timeZone: .current, now: $0).text(of: $0).prefix(10) } ?? ""
      return day == draft.form.until ? "" : "= \(day)"
    case .title where focus == .field(.title):
      return "\(draft.form.title.count)/\(TextLimits.title.clusters)"
    case .brief where focus == .field(.brief):
      return "\(draft.form.brief.count)/\(TextLimits.brief.clusters)"
    default: return ""
    }
  }

  private func time(_ time: WireTime?, typed: String) -> String {
    guard let time else { return "" }
    let text = WhenText(timeZone: .current, now: time).text(of: time)
    return text == typed ? "" : "= \(text)"
  }
}

/// What the form as a whole has to say, under its lines.
struct ComposerNote: View {
  let draft: MissionComposerReducer.State
  @Environment(\.actions) private var actions

  var body: some View {
    let table = actions.table
    let send = MissionComposerForm.send.id
    if let problem = draft.formProblem {
      Paragraph("! \(problem)", .danger)
    } else if draft.isRestored {
      Text(
        "Restored what you had typed. \(table.way(to: MissionComposerForm.clear.id)) clears it.",
        .accent
      )
      .showsHints(of: [MissionComposerForm.clear.id])
    } else if draft.isUntouched {
      Text("\(table.way(to: send)) sends from any field.", .dim).showsHints(of: [send])
    } else {
      Text(
        "\(table.way(to: send)) sends, \(table.way(to: .draftUndo)) undoes; "
          + "what is typed is kept for later.", .dim
      )
      .showsHints(of: [send, Action.draftUndo.id])
    }
  }
}

extension FieldProblem.Field {
  /// What a field of a mission is called in front of its text.
  var missionLabel: String {
    switch self {
    case .title: "Title"
    case .brief: "Brief"
    case .radius: "Radius"
    case .capacity: "Limit"
    case .starts: "Starts"
    case .ends: "Ends"
    case .repeats: "Repeats"
    case .until: "Until"
    case .visibility: "Seen by"
    case .live: "Live"
    case .objectives: "To do"
    default: ""
    }
  }

  fileprivate var composerPath: WritableKeyPath<MissionComposerReducer.State, String> {
    switch self {
    case .brief: \.form.brief
    case .place: \.form.place.text
    case .radius: \.form.radius
    case .starts: \.form.starts
    case .ends: \.form.ends
    case .until: \.form.until
    case .capacity: \.form.capacity
    default: \.form.title
    }
  }

  fileprivate var composerHint: String {
    switch self {
    case .title: "what it is called"
    case .brief: "what it is about; may stay empty"
    case .place: "a city, a street, or 38.72,-9.14"
    case .radius: "250, 500 m or 2 km around it"
    case .starts: "now, 19:40, tomorrow 9:00, in 2h"
    case .ends: "19:40, +90m, 2026-12-01 18:30; empty for no end"
    case .until: "2026-12-22, or 8 times; empty for no end"
    case .capacity: "how many people; empty for any number"
    default: ""
    }
  }
}
