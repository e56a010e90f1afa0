import FoundationEssentials
import RallyDomain
import RallyState
import RallyWire
import TerminalKit
import TerminalState

/// The lines of the mission composer and their actions.
struct MissionComposerForm: View {
  enum Ending { case sent, later }

  let store: Store<MissionComposerReducer>
  let place: Place?
  let onEnd: (Ending) -> Void

  @Environment(\.terminalSize) private var terminalSize
  @Environment(\.interface) private var interface
  /// The objectives that were there when another one was asked for.
  @State private var idsBeforeAdding: Set<UUID>?
  @State var focus = ComposerFocus.field(.title)
  /// Where the cursor has been before.
  @State private var left: Set<ComposerFocus> = []
  /// Which suggestion is marked; nil takes the text as it is.
  @State private var marked: Int?

  var body: some View {
    let draft = store.state
    let suggestions = suggestions(draft)
    let rows = ComposerRow.rows(draft, focus: focus, left: left, suggestions: suggestions)
    Box(title: draft.mission.map { "Change \($0.title)" } ?? "New mission") {
      VStack(spacing: 0) {
        List(
          rows, id: \.id,
          selection: Binding(get: { .focusable(focus) }, set: { take($0) }),
          rowsBelow: ComposerRow.rowsBelow(focus, in: rows), isActive: false,
          isSelectable: { if case .focusable = $0 { true } else { false } }
        ) { row, _ in
          ComposerLine(store: store, row: row, focus: focus, marked: marked) {
            marked = $0
            takeMarked(suggestions)
          }
        }
        .frame(height: min(rows.count, max(4, terminalSize.height - around)))
        Rule()
        ComposerNote(draft: draft)
      }
    }
    .frame(maxWidth: 76)
    .task {
      await store.send(.open)
      if let place { await store.send(.pickPlace(place)) }
    }
    .onChange(of: draft.form) { _, _ in
      marked = nil
      store.send(.edited)
      focusOnAdded()
      keepFocus()
    }
    .onChange(of: focus) { former, _ in
      left.insert(former)
      store.send(.endStep)
    }
    .onLoading(of: draft.submission) { focus = .send }
    .onLoadingComplete(of: draft.submission) { _ in onEnd(.sent) }
    .onFailure(of: draft.submission) { _ in focusOnProblem() }
    .onCancellation(of: draft.submission) { _ in
      interface.say("Stopped waiting for the server; what you typed is kept.")
    }
    .onKey(KeyChord(.down)) { mark(by: 1, among: suggestions) }
    .onKey(KeyChord(.up)) { mark(by: -1, among: suggestions) }
    .onEditing(
      LongText(
        name: "brief", id: draft.mission?.id, text: store.binding(\.form.brief),
        limit: TextLimits.brief.clusters)
    )
    .actions(draft.submission.isLoading() ? [Self.stopWaiting] : Self.all, in: self)
  }

  /// Rows of the terminal that are not the list's: the box, the note, and the screen's first and
  /// last lines, all of which a small terminal has no room for.
  private var around: Int { terminalSize.height < 20 ? 6 : 8 }

  // MARK: - Moving

  func move(by step: Int) {
    let suggestions = suggestions(store.state)
    takeMarked(suggestions)
    if let next = ComposerRow.stops(store.state, focus: focus).element(after: focus, step: step) {
      focus = next
      marked = nil
    }
  }

  /// Enter goes on, past the parts of an objective, and sends at the end.
  func enter() {
    switch focus {
    case .send: submit()
    case .addObjective: insertObjective()
    case .objective(let id, _):
      takeMarked(suggestions(store.state))
      let objectives = store.form.objectives
      let index = objectives.firstIndex { $0.id == id }.map { $0 + 1 } ?? objectives.count
      focus = index < objectives.count ? .objective(objectives[index].id, .title) : .addObjective
    case .field: move(by: 1)
    }
  }

  func insertObjective() {
    idsBeforeAdding = Set(store.form.objectives.map(\.id))
    store.send(.addObjective(after: focus.objectiveID))
    focusOnAdded()
  }

  /// Goes to the added objective once it is there, which may take a turn of the loop. None comes
  /// where the mission has as many as it may.
  private func focusOnAdded() {
    guard let before = idsBeforeAdding,
      let added = store.form.objectives.first(where: { !before.contains($0.id) })
    else { return }
    idsBeforeAdding = nil
    focus = .objective(added.id, .title)
  }

  /// The row with the cursor may be gone: it was removed, or undone.
  private func keepFocus() {
    let stops = ComposerRow.stops(store.state, focus: focus)
    if !stops.contains(focus) { focus = .addObjective }
  }

  private func take(_ row: ComposerRow?) {
    if case .focusable(let place)? = row { focus = place }
  }

  // MARK: - Places

  /// What fits the place with the cursor; coordinates need no suggestion.
  private func suggestions(_ draft: MissionComposerReducer.State) -> [Place] {
    guard let entry = draft.placeEntry(at: focus) else { return [] }
    return draft.suggestions(for: entry).filter { $0.name != nil }
  }

  private func mark(by step: Int, among suggestions: [Place]) -> Bool {
    guard !suggestions.isEmpty else { return false }
    let next = (marked ?? -1) + step
    // Beyond either end the cursor goes on to the next field.
    guard suggestions.indices.contains(next) else { return false }
    marked = next
    return true
  }

  private func takeMarked(_ suggestions: [Place]) {
    guard let entry = store.state.placeEntry(at: focus), !suggestions.isEmpty,
      let place = suggestions.indices.contains(marked ?? 0) ? suggestions[marked ?? 0] : nil
    else { return }
    let picked = PlaceEntry(place)
    guard picked != entry else { return }
    switch focus {
    case .objective(let id, _):
      store.objective(id, \.place).wrappedValue = picked
    default: store.setValue(picked, at: \.form.place)
    }
  }

  // MARK: - Sending

  func submit() {
    Task {
      await store.send(.submit)
      focusOnProblem()
    }
  }

  private func focusOnProblem() {
    guard let wrong = store.state.firstProblem else { return }
    left.insert(wrong)
    focus = wrong
  }
}

extension Store<MissionComposerReducer> {
  /// Binds a part of one objective to a field; one that is gone takes nothing.
  func objective<Value>(
    _ id: UUID, _ part: WritableKeyPath<ObjectiveEntry, Value>
  ) -> Binding<Value> {
    Binding(
      get: {
        (self.form.objectives.first { $0.id == id } ?? ObjectiveEntry())[keyPath: part]
      },
      set: { value in
        var form = self.form
        guard let index = form.objectives.firstIndex(where: { $0.id == id }) else { return }
        form.objectives[index][keyPath: part] = value
        self.setValue(form, at: \.form)
      })
  }
}

extension MissionComposerForm {
  fileprivate var nothingToUndo: String? {
    store.state.canUndo ? nil : "There is nothing to undo in this form."
  }

  fileprivate var nothingToRedo: String? {
    store.state.canRedo ? nil : "There is nothing to redo in this form."
  }

  fileprivate func choose(by step: Int) {
    if case .field(let field) = focus { store.send(.choose(field, by: step)) }
  }

  fileprivate func edit(_ change: (UUID) -> Void) {
    if let id = focus.objectiveID { change(id) }
  }
}

extension MissionComposerForm {
  static let send = FeatureAction<Self>(
    id: "draft.send", summary: "Send the form from any field.", keys: ["^O"], section: "Forms",
    footer: 50, run: { $0.submit() })
  static let clear = FeatureAction<Self>(
    id: "draft.clear", summary: "Clear the form; undo restores it.",
    keys: ["^T"], section: "Forms", footer: 570,
    disabled: { $0.store.state.isUntouched ? "There is nothing to clear." : nil },
    run: { $0.store.send(.clear) })
  static let addObjective = FeatureAction<Self>(
    id: "objective.add", name: "add-objective", title: "add",
    summary: "Add something to do to the mission.", keys: ["^N"], section: "Forms", footer: 80,
    run: { $0.insertObjective() })

  /// The only one while the mission is being sent.
  static let stopWaiting = FeatureAction<Self>(.back, run: { $0.store.send(.cancel) })

  static let all: [FeatureAction<Self>] = [
    FeatureAction(.fieldNext, run: { $0.move(by: 1) }),
    FeatureAction(.fieldPrevious, run: { $0.move(by: -1) }),
    FeatureAction(.submit, run: { $0.enter() }),
    send, clear, addObjective,
    FeatureAction(
      id: "objective.remove", name: "remove-objective", title: "remove",
      summary: "Take the objective out; undo brings it back.", keys: ["^X"], section: "Forms",
      footer: 550, shown: { $0.focus.objectiveID != nil },
      run: { form in form.edit { form.store.send(.removeObjective($0)) } }),
    FeatureAction(
      id: "objective.up", name: "objective-up", title: "earlier", summary: "Move the objective up.",
      keys: ["PgUp"], section: "Forms", shown: { $0.focus.objectiveID != nil },
      run: { form in form.edit { form.store.send(.moveObjective($0, by: -1)) } }),
    FeatureAction(
      id: "objective.down", name: "objective-down", title: "later",
      summary: "Move the objective down.", keys: ["PgDn"], section: "Forms",
      shown: { $0.focus.objectiveID != nil },
      run: { form in form.edit { form.store.send(.moveObjective($0, by: 1)) } }),
    FeatureAction(.back, run: { $0.onEnd(.later) }),
    FeatureAction(.leave, run: { $0.onEnd(.later) }),
    FeatureAction(.undo, disabled: { $0.nothingToUndo }, run: { $0.store.send(.undo) }),
    FeatureAction(.draftUndo, disabled: { $0.nothingToUndo }, run: { $0.store.send(.undo) }),
    FeatureAction(.redo, disabled: { $0.nothingToRedo }, run: { $0.store.send(.redo) }),
    FeatureAction(
      .choiceNext, shown: { $0.focus.isChoice }, run: { $0.choose(by: 1) }),
    FeatureAction(
      .choicePrevious, shown: { $0.focus.isChoice }, run: { $0.choose(by: -1) }),
  ]
}
