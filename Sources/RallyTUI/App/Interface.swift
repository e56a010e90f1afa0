import Foundation
import Observation
import RallyDomain
import RallyEnvironment
import RallyWire
import TerminalKit

/// What lies over the screens for a moment: a question, a report, the command line, what was said.
@MainActor
@Observable
final class Interface {
  enum Overlay: Hashable, Identifiable {
    case help
    case policy
    case messages
    case log
    case server
    case goTo
    /// People, missions, places and acts by a few letters.
    case anything
    /// Who sees what of me, opened on a friend or on the default.
    case sharing(UUID?)
    /// What is known of where a friend is.
    case position(UUID)
    case profile
    case settings
    /// Friends to be asked into a mission.
    case inviteFriends(UUID)
    /// A new mission at a place, or one of mine to be changed.
    case compose(missionID: UUID?, place: Coordinate?)
    /// What somebody's code gives, before it is accepted.
    case invitation
    /// My own codes.
    case invitations
    /// What a file would bring, before it is imported.
    case importFile(String)

    var id: Self { self }
  }

  var overlay: Overlay?
  var question: Question?
  var isCommandLineOpen = false
  /// Whether the present pane is shown as bare text that the terminal's own selection can take.
  var isBare = false
  /// What was said; the newest is shown for a while, all are kept.
  var toasts = ToastQueue()
  /// What could be done when the help was opened; the help itself takes all keys.
  var helpActions: [AvailableAction] = []
  /// What can be gone to, as it was when the palette was opened; nil before it was.
  var palette: Palette?
  /// What was gone to lately, the newest first.
  private(set) var recentPicks: [PaletteItem.Target] = []
  /// Which rows are marked on each tab.
  let friendMarks = RowMarks()
  let missionMarks = RowMarks()
  /// Lines that the command line was given, the newest last.
  var commands: [String] = []
  /// Whether the mouse is taken from the terminal; nil takes it where the map is seen.
  var isMouseWanted: Bool?
  /// What the screens look like now.
  var theme = ThemeSetting.terminal
  let history = ActHistory()

  /// - Parameter configuration: Where the mouse and the theme start.
  init(_ configuration: Configuration = Configuration()) {
    isMouseWanted = configuration.mouse.isWanted
    theme = configuration.theme
  }

  /// - Parameter details: What a report of a failure needs.
  func say(_ sentence: String, kind: Toast.Kind = .information, details: String? = nil) {
    toasts.show(sentence, kind: kind, details: details, at: .now)
  }

  /// Notes what was gone to, for the order of what is found next.
  func picked(_ target: PaletteItem.Target) {
    recentPicks = [target] + recentPicks.filter { $0 != target }.prefix(19)
  }

  /// Whether something lies over the screens that takes all keys.
  var isCovered: Bool { overlay != nil || question != nil }

  /// Takes away what lies on top; false when nothing does.
  func dismissTop() -> Bool {
    if question != nil {
      question = nil
    } else if isCommandLineOpen {
      isCommandLineOpen = false
    } else if overlay != nil {
      overlay = nil
    } else {
      return false
    }
    return true
  }

  /// Goes back to the screens as they are; false when they are shown.
  func leaveBare() -> Bool {
    defer { isBare = false }
    return isBare
  }

  /// Takes away what was said last; false when nothing is shown.
  func dismissToast() -> Bool {
    defer { toasts.dismiss() }
    return toasts.current != nil
  }
}

/// A question that stands before an act which is hard to take back.
struct Question: Identifiable {
  let id: ActionID
  /// Names the thing: `Unfriend Ana Pereira?`
  var title: String
  /// What is lost, a sentence a line.
  var consequences: [String]
  /// The word of the act: `Unfriend`.
  var verb: String
  /// The word of the safe answer: `Keep`.
  var safeVerb: String
  var act: @MainActor () -> Void
}

/// Acts whose inverse restores what was, so that they can be taken back and done again.
@MainActor
@Observable
final class ActHistory {
  struct Act {
    /// Continues "Undone: ".
    var label: String
    /// Returns whether it was undone; a failure is reported by then.
    var undo: @MainActor () async -> Bool
    var redo: @MainActor () async -> Bool
  }

  private(set) var undoable: [Act] = []
  private(set) var redoable: [Act] = []

  func note(_ act: Act) {
    undoable.append(act)
    if undoable.count > 50 { undoable.removeFirst() }
    redoable = []
  }

  /// Undoes the last act.
  ///
  /// - Returns: Its label; nil if there is none, or if it failed and can be undone later.
  func undo() async -> String? {
    guard let act = undoable.popLast() else { return nil }
    let isUndone = await act.undo()
    if isUndone { redoable.append(act) } else { undoable.append(act) }
    return isUndone ? act.label : nil
  }

  func redo() async -> String? {
    guard let act = redoable.popLast() else { return nil }
    let isRedone = await act.redo()
    if isRedone { undoable.append(act) } else { redoable.append(act) }
    return isRedone ? act.label : nil
  }
}

private struct InterfaceKey: EnvironmentKey {
  static let defaultValue = Interface()
}

extension EnvironmentValues {
  var interface: Interface {
    get { self[InterfaceKey.self] }
    set { self[InterfaceKey.self] = newValue }
  }
}
