import Observation

/// The last act of the person's, if it can be undone, or why it cannot; and what was undone last.
///
/// One act and no more: what lies before it was seen by others, or decided anew, by now.
@MainActor
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
