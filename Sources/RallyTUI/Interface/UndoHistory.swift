import Observation
import RallyDomain
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// The last act of the person's, if it can be undone, or why it cannot; and what was undone last.
///
/// One act and no more: what lies before it was seen by others, or decided anew, by now.
@Observable
final class UndoHistory {
  typealias Instant = ContinuousClock.Instant

  enum Step { case undo, redo }

  struct Command {
    /// Continues "Undone: ".
    var label: String
    /// Who would see more of me after the step, a sentence for each; then it is asked first.
    var shows: @MainActor (Step) -> [String] = { _ in [] }
    /// Returns whether it was undone; a failure is reported by then.
    var undo: @MainActor () async -> Bool
    var redo: @MainActor () async -> Bool
  }

  /// What a step would do now.
  enum Offer {
    case command(Command)
    /// Why there is nothing, in a sentence.
    case obstacle(String)
  }

  private enum Place {
    case empty
    case command(Command, since: Instant)
    case closed(String)
  }

  /// How long after an act it can be undone, and after that be done again.
  static let window = Duration.seconds(30)

  private var undoable = Place.empty
  private var redoable = Place.empty
  /// Counts the acts, so that the end of an earlier one changes nothing about a later one.
  @ObservationIgnored private var turn = 0
  @ObservationIgnored private let now: () -> Instant

  /// - Parameter now: A clock that nobody sets.
  init(now: @escaping () -> Instant = { .now }) { self.now = now }

  /// Records the last act as one whose inverse restores what was.
  func record(_ command: Command) {
    turn += 1
    undoable = .command(command, since: now())
    redoable = .empty
  }

  /// Records the last act as one that cannot be undone, and with it everything before.
  ///
  /// - Parameters:
  ///   - act: `Unfriending`.
  ///   - way: What does undo it: `! comes back`.
  func close(_ act: String, except way: String? = nil) {
    turn += 1
    undoable = .closed("\(act) cannot be undone\(way.map { " like this: \($0)" } ?? "").")
    redoable = .empty
  }

  /// Carries out an act; it cannot be undone unless `inverse` says how.
  ///
  /// From its start on nothing before it is undone: who presses the key now means this one. An act
  /// that began later keeps the place, whichever of the two ends first.
  ///
  /// - Parameters:
  ///   - name: `Unfriending`.
  ///   - way: What does undo it: `! comes back`.
  ///   - isDone: Whether anything of it was done; otherwise the act before it is the last one again.
  ///   - inverse: What undoes what was done; nil if nothing does.
  func act<Outcome>(
    _ name: String, except way: String? = nil, isDone: (Outcome) -> Bool,
    undoneBy inverse: (Outcome) -> Command? = { _ in nil }, _ intent: () async -> Outcome
  ) async -> Outcome {
    let before = (undoable, redoable)
    close(name, except: way)
    let mine = turn
    let outcome = await intent()
    guard turn == mine else { return outcome }
    if !isDone(outcome) {
      (undoable, redoable) = before
    } else if let command = inverse(outcome) {
      record(command)
    }
    return outcome
  }

  /// Why the step cannot be offered, whatever the time is; nil if it can.
  func obstacle(to step: Step) -> String? {
    switch place(of: step) {
    case .empty: step == .undo ? "Nothing to undo." : "Nothing to redo."
    case .command: nil
    case .closed(let sentence): sentence
    }
  }

  /// - Parameter key: The key of the step, for the sentence that says that it is too late.
  func offer(_ step: Step, key: String) -> Offer {
    guard case .command(let command, let since) = place(of: step) else {
      return .obstacle(obstacle(to: step) ?? "")
    }
    guard now() - since <= Self.window else {
      let act = step == .undo ? "undoes an act" : "does it again"
      return .obstacle("\(key) \(act) within \(Self.window.components.seconds) seconds only.")
    }
    return .command(command)
  }

  /// Undoes the last act, or does again what was undone last.
  ///
  /// - Returns: The label; nil if there is none, or if it failed and can be tried again.
  func carryOut(_ step: Step) async -> String? {
    guard case .command(let command, _) = place(of: step) else { return nil }
    let before = (undoable, redoable)
    turn += 1
    let mine = turn
    (undoable, redoable) = (.empty, .empty)
    let isDone = step == .undo ? await command.undo() : await command.redo()
    guard turn == mine else { return isDone ? command.label : nil }
    guard isDone else {
      (undoable, redoable) = before
      return nil
    }
    let place = Place.command(command, since: now())
    if step == .undo { redoable = place } else { undoable = place }
    return command.label
  }

  private func place(of step: Step) -> Place { step == .undo ? undoable : redoable }
}

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

extension UndoActions {
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

  /// Carries out an intent as a task of its own, and says that it is done.
  func start<Value>(
    _ name: String, except way: String? = nil, saying done: String,
    kind: Toast.Kind = .information, _ intent: @escaping () async -> IntentOutcome<Value>
  ) {
    Task { if await act(name, except: way, intent).isDone { say(done, kind: kind) } }
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
  static func sharing(
    with name: String?, _ change: SharingChange, of store: LocationSharingStore
  ) -> UndoHistory.Command {
    sharing("what \(name ?? "everybody else") may see of you", change, of: store)
  }

  /// A decision about what a friend sees of me, or everybody else.
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
