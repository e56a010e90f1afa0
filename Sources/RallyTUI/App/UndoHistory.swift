import Observation

/// The commands that can be undone and done again: those whose inverse restores what was.
@MainActor
@Observable
final class UndoHistory {
  struct Command {
    /// Continues "Undone: ".
    var label: String
    /// Returns whether it was undone; a failure is reported by then.
    var undo: @MainActor () async -> Bool
    var redo: @MainActor () async -> Bool
  }

  private(set) var undoable: [Command] = []
  private(set) var redoable: [Command] = []

  func record(_ command: Command) {
    undoable.append(command)
    if undoable.count > 50 { undoable.removeFirst() }
    redoable = []
  }

  /// Undoes the last command.
  ///
  /// - Returns: Its label; nil if there is none, or if it failed and can be undone later.
  func undo() async -> String? {
    guard let command = undoable.popLast() else { return nil }
    let isUndone = await command.undo()
    if isUndone { redoable.append(command) } else { undoable.append(command) }
    return isUndone ? command.label : nil
  }

  func redo() async -> String? {
    guard let command = redoable.popLast() else { return nil }
    let isRedone = await command.redo()
    if isRedone { undoable.append(command) } else { redoable.append(command) }
    return isRedone ? command.label : nil
  }
}
