import RallyDomain
import RallySystem
import RallyText
import RallyWire
import TerminalKit

/// The action table with the key bindings of the configuration.
nonisolated public struct KeyMap: Sendable {
  public private(set) var table: ActionTable
  /// Ignored bindings, and keys bound to two actions of one screen; in the order of the file.
  public private(set) var problems: [ConfigurationProblem] = []

  /// - Parameters:
  ///   - standard: The actions with their default keys.
  ///   - bindings: The configured bindings; the last one for an action wins.
  ///   - file: The configuration file, for problems.
  @MainActor
  public init(standard: ActionTable = .rally, bindings: [KeyBinding], file: String) {
    table = standard
    var places: [ActionID: SourcePosition?] = [:]
    for binding in bindings {
      guard let action = standard.action(written: binding.action) else {
        report(binding.place, Self.unknown(binding.action, in: standard), file)
        continue
      }
      var keys: [KeySequence] = []
      for written in binding.keys {
        switch Self.read(written.text) {
        case .success(let sequence): if !keys.contains(sequence) { keys.append(sequence) }
        case .failure(let problem):
          report(written.place ?? binding.place, problem.sentence, file)
        }
      }
      // If no key can be parsed, the action keeps its default keys.
      if keys.isEmpty, !binding.keys.isEmpty { continue }
      if action.id == ProgramActions.cancel.id, keys.isEmpty {
        let key = standard.hint(for: action.id)
        report(
          binding.place, "\(action.id) keeps \(key): it is the way out of everything.", file)
        continue
      }
      table = table.giving(keys, to: action.id)
      places[action.id] = binding.place
    }
    reportConflicts(of: places, standard, file)
    problems.sort {
      ($0.place ?? SourcePosition(line: .max, column: 0), $0.sentence)
        < ($1.place ?? SourcePosition(line: .max, column: 0), $1.sentence)
    }
  }

  private mutating func report(_ place: SourcePosition?, _ sentence: String, _ file: String) {
    problems.append(ConfigurationProblem(file: file, place: place, sentence: sentence))
  }

  private struct UnreadableKeys: ReportableError { var sentence: String }

  private static func read(_ text: String) -> Result<KeySequence, UnreadableKeys> {
    let shown = text.cleanedForDisplay
    guard let sequence = KeySequence(text) else {
      return .failure(
        UnreadableKeys(
          sentence: "There are no keys “\(shown)”. Write one like g g, ^K, M-b, Enter or F2."))
    }
    for chord in sequence.chords {
      if let sent = chord.sentAs {
        return .failure(
          UnreadableKeys(
            sentence: "Terminals send \(sent.written) for \(chord). Write \(sent.written)."))
      }
    }
    return .success(sequence)
  }

  private static func unknown(_ name: String, in table: ActionTable) -> String {
    let names = table.actions.flatMap { [$0.id.rawValue, $0.name] }
    let advice =
      NameSuggestion.of(name, among: names).map { "Did you mean \($0)?" }
      ?? "rally keys lists all of them."
    return "There is no action “\(name.cleanedForDisplay)”. \(advice)"
  }

  // MARK: Conflicts

  /// Reports keys bound to two actions, and keys that are a prefix of others.
  private mutating func reportConflicts(
    of places: [ActionID: SourcePosition?], _ standard: ActionTable, _ file: String
  ) {
    var reported: Set<[ActionID]> = []
    for action in table.actions {
      guard let place = places[action.id] else { continue }
      for other in table.actions where standard.canMeet(action, other) {
        guard let sentence = Self.conflict(action, other),
          reported.insert([action.id, other.id].sorted { $0.rawValue < $1.rawValue }).inserted
        else { continue }
        // Report the later of the two lines.
        let both = [place, places[other.id] ?? nil].compactMap(\.self)
        report(both.max(), sentence, file)
      }
    }
  }

  private static func conflict(_ action: Action, _ other: Action) -> String? {
    for keys in action.keys {
      for others in other.keys {
        if keys == others {
          return "\(keys) leads to \(action.id) and to \(other.id) in the same place. Give one of "
            + "them another key, or \"none\"."
        }
        if others.chords.starts(with: keys.chords) {
          return "\(others) cannot be typed for \(other.id): \(keys) leads to \(action.id) at once."
        }
        if keys.chords.starts(with: others.chords) {
          return "\(keys) cannot be typed for \(action.id): \(others) leads to \(other.id) at once."
        }
      }
    }
    return nil
  }
}

nonisolated extension ActionTable {
  /// The action of this id, or else of this name on the command line.
  public func action(written name: String) -> Action? {
    self[ActionID(name)] ?? action(named: name)
  }

  /// Whether keys can reach both actions on one screen, so that they must not share a key.
  ///
  /// Actions that share a default key are never available together, or the place decides.
  func canMeet(_ one: Action, _ other: Action) -> Bool {
    guard one.id != other.id else { return false }
    let shared = Set(keys(for: one.id))
    if keys(for: other.id).contains(where: shared.contains) { return false }
    return Self.canMeet(one, in: other.section) || Self.canMeet(other, in: one.section)
  }

  /// Sections whose actions are never available together with those of another tab or sheet.
  private static let separate: Set<String> = ["Map", "Forms"]
  /// Sections whose actions are available on all tabs with lists.
  private static let common: Set<String> = ["Lists", "Moving"]

  private static func canMeet(_ action: Action, in section: String) -> Bool {
    if action.section == section || action.otherSections.contains(section) { return true }
    if action.section == "Everywhere" { return section != "Forms" }
    if separate.contains(section) || separate.contains(action.section) { return false }
    return common.contains(section) || common.contains(action.section)
  }

  /// The same actions, one of them with other keys.
  func giving(_ keys: [KeySequence], to id: ActionID) -> ActionTable {
    ActionTable(
      actions.map { action in
        guard action.id == id else { return action }
        var action = action
        action.keys = keys
        return action
      })
  }

  /// The lines of every action in the sample and in `rally config dump`.
  public var keyLines: [ConfigurationText.KeyLine] {
    actions.map {
      ConfigurationText.KeyLine(
        action: $0.id.rawValue, summary: $0.summary, keys: $0.keys.map(\.written))
    }
  }
}

extension ActionTable {
  /// The actions of all features with their default keys, in the order of the help.
  public static let rally = ActionTable(features.flatMap(\.self))

  private static let features: [[Action]] = [
    MapActions.all.map(\.action), StreetsSheet.all.map(\.action),
    MissionActions.all.map(\.action), [InviteSheet.makeCode.action],
    [MissionCardSheet.save.action],
    [ImportSheet.run.action], CalendarSheet.all.map(\.action), SharingSheet.all.map(\.action),
    PrivacySheet.all.map(\.action), LinksSheet.all.map(\.action),
    AlertsSheet.all.map(\.action), PhonesSheet.all.map(\.action), SettingsSheet.all,
    SSHKeysSheet.all.map(\.action), PersonActions.all.map(\.action),
    SocialHome.all.map(\.action), [.codes], FriendsPane.all.map(\.action),
    LocationAskActions.all.map(\.action), WaitingQuestionActions.all.map(\.action),
    GlobalActions.all.map(\.action),
    ProgramActions.all.map(\.action), MarkActions.all.map(\.action), Action.movement,
    Action.shared, SessionHome.all.map(\.action),
    [QuestionBox.confirm.action], [TextEditing.edit.action],
    MissionComposerForm.all.map(\.action), PaletteSheet.all.map(\.action),
    InvitationSheet.all.map(\.action), RefusedInvitation.all.map(\.action),
    InvitationsSheet.all.map(\.action),
  ]
}
