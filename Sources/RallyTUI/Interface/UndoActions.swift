import RallyDomain
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// Undoing the last act and doing it again, on every tab and over every sheet.
struct UndoActions: View {
  let content: AnyView

  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface

  var body: some View { content.actions(Self.all, in: self) }

  private func take(_ step: UndoHistory.Step) {
    let interface = interface
    let key = actions.table.way(to: step.action)
    // Not at once: what the keys before it have begun comes first.
    Task {
      switch interface.history.offer(step, key: key) {
      case .obstacle(let sentence): interface.say(sentence, kind: .warning)
      case .command(let command):
        let shown = command.shows(step)
        guard !shown.isEmpty else { return await Self.carryOut(step, in: interface) }
        interface.question = Question(
          id: step.action, title: "\(step == .undo ? "Undo" : "Redo") \(command.label)?",
          consequences: shown, verb: step == .undo ? "Undo" : "Redo", safeVerb: "Keep"
        ) { Task { await Self.carryOut(step, in: interface) } }
      }
    }
  }

  private static func carryOut(_ step: UndoHistory.Step, in interface: Interface) async {
    guard let label = await interface.history.carryOut(step) else { return }
    interface.say("\(step == .undo ? "Undone" : "Redone"): \(label)")
  }
}

extension UndoHistory.Step {
  fileprivate var action: ActionID { self == .undo ? Action.undo.id : Action.redo.id }
}

nonisolated extension UndoActions {
  static let all: [FeatureAction<Self>] = [
    FeatureAction(
      .undo, disabled: { $0.interface.history.obstacle(to: .undo) }, run: { $0.take(.undo) }),
    FeatureAction(
      .redo, disabled: { $0.interface.history.obstacle(to: .redo) }, run: { $0.take(.redo) }),
  ]
}

extension View {
  func undoActions() -> some View { UndoActions(content: AnyView(self)) }
}

extension Interface {
  /// Carries out an intent of the person's, after which nothing before it can be undone.
  ///
  /// - Parameters:
  ///   - name: `Unfriending`; says that it cannot be undone either, unless `inverse` says how.
  ///   - way: What does undo it: `! comes back`.
  @discardableResult
  func act<Value>(
    _ name: String, except way: String? = nil,
    undoneBy inverse: (Value) -> UndoHistory.Command? = { _ in nil },
    _ intent: () async -> IntentOutcome<Value>
  ) async -> IntentOutcome<Value> {
    await history.act(
      name, except: way, isDone: { $0.isDone }, undoneBy: { $0.value.flatMap(inverse) }, intent)
  }

  /// The same for an intent with another result.
  func act<Value, Failure: Error>(
    _ name: String, _ intent: () async -> Result<Value, Failure>
  ) async -> Result<Value, Failure> {
    await history.act(name, isDone: { (try? $0.get()) != nil }, intent)
  }
}

extension UndoHistory.Command {
  /// - Parameter name: Of the friend; nil for everybody else.
  @MainActor
  static func sharing(
    with name: String?, _ change: SharingChange, of store: LocationSharingStore
  ) -> UndoHistory.Command {
    sharing("what \(name ?? "everybody else") may see of you", change, of: store)
  }

  /// A decision about what a friend sees of me, or everybody else.
  @MainActor
  static func sharing(_ label: String, _ change: SharingChange, of store: LocationSharingStore)
    -> UndoHistory.Command
  {
    UndoHistory.Command(
      label: label,
      shows: { step in
        let setting = step == .undo ? change.before : change.after
        return store.seeingMore(with: setting, for: change.friendID).map {
          "\(SharingSentence.sees($0.friend.displayName, $0.setting, at: .now)) again."
        }
      },
      undo: { await store.undoSharing(change).isDone },
      redo: {
        await store.setSharing(change.after.mode, for: change.friendID, until: change.after.until)
          .isDone
      })
  }
}
