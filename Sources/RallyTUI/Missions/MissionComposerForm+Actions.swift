import FoundationEssentials
import RallyDomain
import RallyState
import RallyWire
import TerminalKit

extension MissionComposerForm {
  fileprivate var nothingToUndo: String? {
    store.state.canUndo ? nil : "There is nothing to undo in this form."
  }

  fileprivate var nothingToRedo: String? {
    store.state.canRedo ? nil : "There is nothing to redo in this form."
  }

  fileprivate func choose(by step: Int) {
    switch focus {
    case .field(.repeats): store.send(.cycleRepeats(by: step))
    case .field(.live): store.send(.toggleLive)
    default: store.send(.cycleVisibility(by: step))
    }
  }

  fileprivate func edit(_ change: (UUID) -> Void) {
    if let id = focus.objectiveID { change(id) }
  }
}

nonisolated extension MissionComposerForm {
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
