import RallyDomain
import RallyWire
import RallyWords
import TerminalKit

/// Registers the bulk actions for marked missions; draws nothing.
struct MissionBulkActions: View {
  let marks: RowMarks
  let missions: [Mission]
  let viewModel: MissionsViewModel

  @Environment(\.actions) private var actions
  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.interface) private var interface

  /// A bulk action.
  private enum Act {
    case join, leave, decline

    var id: ActionID {
      switch self {
      case .join: MissionActions.join.id
      case .leave: MissionActions.leave.id
      case .decline: MissionActions.decline.id
      }
    }

    var verb: String {
      switch self {
      case .join: "Join"
      case .leave: "Leave"
      case .decline: "Decline"
      }
    }

    var gerund: String {
      switch self {
      case .join: "Joining"
      case .leave: "Leaving"
      case .decline: "Declining"
      }
    }

    var done: String {
      switch self {
      case .join: "joined"
      case .leave: "left"
      case .decline: "declined"
      }
    }
  }

  var body: some View {
    let isAnyInvited = !fitting(.decline).isEmpty
    EmptyView().onActions(
      [
        handler(.join, MissionActions.join.id, "None of the marked missions can be joined."),
        handler(.leave, MissionActions.leave.id, "None of the marked missions can be left by you."),
      ]
        + (isAnyInvited
          ? [
            handler(.join, MissionActions.accept.id, "None of the marked missions can be joined."),
            handler(.decline, MissionActions.decline.id, "You are invited to none of them."),
          ] : []))
  }

  private func handler(_ act: Act, _ id: ActionID, _ reason: String) -> ActionHandler {
    ActionHandler(id, disabled: fitting(act).isEmpty ? reason : nil) { confirm(act) }
  }

  private func fitting(_ act: Act) -> [Mission] {
    missions.filter { mission in
      let rules = ActionAvailability(mission, viewModel)
      return switch act {
      case .join: rules.join == nil
      case .leave: rules.leave == nil
      case .decline: mission.myState == .invited && mission.phase(at: viewModel.now).isOpen
      }
    }
  }

  private func confirm(_ act: Act) {
    let chosen = fitting(act)
    guard !chosen.isEmpty else { return }
    let count = BulkAction.counted(chosen.count, act == .decline ? "invitations" : "missions")
    interface.question = Question(
      id: act.id, title: "\(act.verb) \(count)?",
      consequences: [BulkActionText.names(chosen.map(\.title)) + "."]
        + (act == .leave
          ? ["Your check-ins stay, and you can come back while there is room."] : []),
      verb: act.verb, safeVerb: act == .leave ? "Stay" : "Not now"
    ) {
      Task { await carryOut(act, with: chosen) }
    }
  }

  private func carryOut(_ act: Act, with missions: [Mission]) async {
    let store = missionsStore
    let outcome = await interface.history.act(
      act.gerund, isDone: { !$0.done.isEmpty }, undoneBy: { undoing(act, for: $0.done) }
    ) {
      await store.setMembership(missions, byJoining: act == .join)
    }
    marks.remove(outcome.done.map(\.id))
    let hasUndo = act != .decline && !outcome.done.isEmpty
    interface.report(
      outcome, act.done, name: \.title,
      note: hasUndo ? "  \(actions.table.way(to: .undo)) undo" : "")
  }

  private func undoing(_ act: Act, for done: [Mission]) -> UndoHistory.Command? {
    // A declined invitation cannot be undone by joining.
    guard act != .decline else { return nil }
    let (store, isJoin, interface) = (missionsStore, act == .join, interface)
    let count = BulkAction.counted(done.count, "missions")
    let setMembership: @MainActor (Bool) async -> Bool = { isJoining in
      interface.isWholly(
        await store.setMembership(done, byJoining: isJoining), isJoining ? "joined" : "left",
        name: \.title)
    }
    return UndoHistory.Command(
      label: isJoin ? "joining \(count)" : "leaving \(count)",
      undo: { await setMembership(!isJoin) }, redo: { await setMembership(isJoin) })
  }
}
