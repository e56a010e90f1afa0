import FoundationEssentials
import Observation
import RallyDomain
import RallyEnvironment
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// A confirmation before an action that is hard to undo.
struct Question: Identifiable {
  let id: ActionID
  /// The question: `Unfriend Ana Pereira?`
  var title: String
  /// The consequences, one sentence per line.
  var consequences: [String]
  /// The label of the action: `Unfriend`.
  var verb: String
  /// The label of the cancel answer: `Keep`.
  var safeVerb: String
  var onConfirm: @MainActor () -> Void
}

/// State of what is shown over the screens: question, sheets, command line, toasts.
@Observable
final class Interface {
  enum Overlay: Hashable, Identifiable {
    case help
    case policy
    case messages
    case log
    case server
    case goTo
    /// The palette: people, missions, places and actions.
    case anything
    /// Who sees what of me, opened on a friend or on the default.
    case sharing(UUID?)
    /// What is known of where a friend is.
    case position(UUID)
    /// What says where I am.
    case sources
    case profile
    /// The question before the account is deleted.
    case deleteAccount
    case settings
    /// The members of a mission and their profiles.
    case members(UUID)
    /// Friends to be asked into a mission.
    case inviteFriends(UUID)
    /// What became of a mission.
    case missionCard(UUID)
    /// A new mission at a place, or one of mine to be changed.
    case compose(missionID: UUID?, place: Coordinate?)
    /// What somebody's code gives, before it is accepted.
    case invitation
    /// My own codes.
    case invitations
    /// My zones and sharing hours.
    case privacy
    /// My alerts about where friends are.
    case alerts
    /// Phones that report where I am.
    case phones
    case links
    /// SSH keys that come in as me.
    case sshKeys
    /// The private address at which calendar programs read my missions.
    case calendar
    /// Streets that are asked for, or fetched.
    case streets
    /// The places that I may be at, by what I typed.
    case here(HereChoice)
    /// What a file would bring, before it is imported.
    case importFile(String)

    var id: Self { self }
  }

  var overlay: Overlay?
  var question: Question?
  var isCommandLineOpen = false
  /// What the command line begins with.
  private(set) var commandStart = ""
  /// Whether the current pane is shown as text only, so that the terminal can select it.
  var isTextOnly = false
  /// Messages; the newest is shown for a while, all are kept.
  var toasts = ToastQueue()
  /// The actions available when the help was opened; while it is open, it takes all keys.
  var helpActions: [AvailableAction] = []
  /// The marked rows of each tab.
  let friendMarks = RowMarks()
  let missionMarks = RowMarks()
  /// The history of the command line, the newest last.
  var commands: [String] = []
  /// Whether the mouse is captured; nil captures it on the map only.
  var isMouseWanted: Bool?
  /// The current theme.
  var theme = ThemeSetting.terminal
  let history = UndoHistory()
  /// The questions that nobody asked for yet; the newest last.
  var waiting: [WaitingQuestion] = []
  /// How long no key has to have come before anything opens by itself.
  @ObservationIgnored var quietTime = Duration.milliseconds(700)

  /// - Parameter configuration: Where the mouse and the theme start.
  init(_ configuration: Configuration = Configuration()) {
    isMouseWanted = configuration.mouse.isWanted
    theme = configuration.theme
  }

  /// - Parameters:
  ///   - details: What a report of a failure needs.
  ///   - topic: What it is about; it takes the place of a message of the same topic right before it.
  ///   - untilReached: Whether it is no longer so once the server is reached.
  func say(
    _ sentence: String, kind: Toast.Kind = .information, details: String? = nil,
    topic: String? = nil, untilReached: Bool = false
  ) {
    toasts.show(
      sentence, kind: kind, details: details, topic: topic, untilReached: untilReached, at: .now)
  }

  /// - Parameter start: What stands in it already.
  func openCommandLine(with start: String = "") {
    commandStart = start
    isCommandLineOpen = true
  }

  /// Whether a sheet or question covers the screens and takes all keys.
  var isCovered: Bool { overlay != nil || question != nil }

  /// Whether a dialog is open, or something is typed.
  func isBusy(_ actions: ActionCatalog) -> Bool {
    isCovered || isCommandLineOpen || actions.isTyping
  }

  /// Closes the topmost question, command line or sheet; false if there is none.
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

  /// Closes whatever belongs to the session that has ended.
  func sessionEnded() {
    question = nil
    isCommandLineOpen = false
    overlay = nil
  }

  /// Ends text-only mode; false if it was off.
  func leaveTextOnly() -> Bool {
    defer { isTextOnly = false }
    return isTextOnly
  }

  /// Dismisses the shown message; false if there is none.
  func dismissToast() -> Bool {
    defer { toasts.dismiss() }
    return toasts.current != nil
  }
}

extension MouseSetting {
  /// - Parameter wanted: Nil captures the mouse on the map only.
  init(_ wanted: Bool?) { self = wanted.map { $0 ? .on : .off } ?? .auto }

  /// What the interface takes it for: nil takes the mouse where the map is seen.
  var isWanted: Bool? { self == .auto ? nil : self == .on }
}

extension Interface {
  /// Says how a bulk action ended for each.
  ///
  /// - Parameters:
  ///   - done: Past tense: `accepted`.
  ///   - note: Follows the sentence.
  func report<Subject>(
    _ outcome: BulkOutcome<Subject>, _ done: String, name: (Subject) -> String, note: String = ""
  ) {
    let failures = outcome.failures.map { (name: name($0.subject), sentence: $0.sentence) }
    say(
      BulkActionText.result(outcome.done.count, done, failures: failures) + note,
      kind: failures.isEmpty ? .success : outcome.done.isEmpty ? .failure : .warning)
  }

  /// Whether a bulk action was done for all; otherwise it is reported.
  func isWholly<Subject>(
    _ outcome: BulkOutcome<Subject>, _ done: String, name: (Subject) -> String
  ) -> Bool {
    if !outcome.failures.isEmpty { report(outcome, done, name: name) }
    return outcome.failures.isEmpty
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

private struct ConfigurationKey: EnvironmentKey {
  static let defaultValue = Configuration()
}

extension EnvironmentValues {
  /// The configuration as it counts now.
  var configuration: Configuration {
    get { self[ConfigurationKey.self] }
    set { self[ConfigurationKey.self] = newValue }
  }
}
