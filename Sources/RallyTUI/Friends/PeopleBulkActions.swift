import Foundation
import RallyDomain
import RallyWire
import TerminalKit

/// Registers the bulk actions for marked people; draws nothing.
struct PeopleBulkActions: View {
  let marks: RowMarks
  let people: [PersonEntry]

  @Environment(\.actions) private var catalog
  @Environment(\.socialStore) private var socialStore
  @Environment(\.interface) private var interface

  var body: some View { EmptyView().onActions(handlers) }

  private var handlers: [ActionHandler] {
    let status = Set(people.map(\.status))
    let mixed = "They stand differently to you: mark only requests, or only friends."
    let towards: [(ActionID, FriendshipStatus, BulkAction)] = [
      (.friendsAccept, .incoming, .accept), (.friendsAsk, .none, .ask),
    ]
    let away: [(ActionID, FriendshipStatus, BulkAction)] = [
      (.friendsDecline, .incoming, .decline), (.friendsCancel, .outgoing, .cancel),
      (.friendsUnfriend, .friends, .unfriend),
    ]
    var handlers: [ActionHandler] = []
    for group in [towards, away] {
      let fitting = group.filter { status.contains($0.1) }
      // A key must not mean different actions for different marked people.
      let reason = fitting.count > 1 || status.contains(.blocked) ? mixed : nil
      for (id, _, act) in fitting {
        handlers.append(ActionHandler(id, disabled: reason) { ask(act) })
      }
    }
    return handlers + [ActionHandler(.friendsBlock) { ask(.block) }]
  }

  private func ask(_ act: BulkAction) {
    let chosen = people.filter { act.fits($0) }
    guard !chosen.isEmpty else { return }
    let words = act.words
    interface.question = Question(
      id: words.id, title: "\(words.verb) \(BulkAction.counted(chosen.count, words.noun))?",
      consequences: [BulkActionText.names(chosen.map(\.profile.displayName)) + "."]
        + words.consequences,
      verb: words.verb, safeVerb: words.safeVerb
    ) {
      Task { await carryOut(act, with: chosen.map(\.profile)) }
    }
  }

  private func carryOut(_ act: BulkAction, with people: [CommunityProfile]) async {
    let store = socialStore
    let outcome = await store.settle(people, by: act)
    marks.remove(outcome.done.map(\.id))
    let hasUndo = act.inverse != nil && !outcome.done.isEmpty
    interface.report(
      outcome, act.words.done, name: \.displayName,
      note: hasUndo ? "  \(catalog.table.way(to: .undo)) undo" : "")
    guard hasUndo, let inverse = act.inverse else { return }
    let (done, interface) = (outcome.done, interface)
    interface.history.note(
      ActHistory.Act(
        label: "\(act.words.undone) \(BulkAction.counted(done.count, "people"))",
        undo: {
          interface.isWholly(
            await store.settle(done, by: inverse), inverse.words.done, name: \.displayName)
        },
        redo: {
          interface.isWholly(await store.settle(done, by: act), act.words.done, name: \.displayName)
        }))
  }
}

extension BulkAction {
  struct Words {
    var id: ActionID
    var verb: String
    var safeVerb: String
    /// What the action applies to, in the plural.
    var noun: String
    /// Past tense: `accepted`.
    var done: String
    /// Continues "Undone: ".
    var undone = ""
    var consequences: [String] = []
  }

  /// Whether the action applies to a person now.
  func fits(_ entry: PersonEntry) -> Bool {
    guard !entry.isSettling else { return false }
    return switch self {
    case .accept, .decline: entry.status == .incoming
    case .cancel: entry.status == .outgoing
    case .unfriend: entry.status == .friends
    case .ask: entry.status == FriendshipStatus.none
    case .block: entry.status != .blocked
    }
  }

  static func counted(_ count: Int, _ nouns: String) -> String {
    guard count == 1 else { return "\(count) \(nouns)" }
    return nouns == "people" ? "1 person" : "1 \(nouns.dropLast())"
  }

  var words: Words {
    switch self {
    case .accept:
      Words(
        id: .friendsAccept, verb: "Accept", safeVerb: "Not now", noun: "requests",
        done: "accepted",
        consequences: ["You will be friends, and each sees when the other is online."])
    case .decline:
      Words(
        id: .friendsDecline, verb: "Decline", safeVerb: "Not now", noun: "requests",
        done: "declined")
    case .cancel:
      Words(
        id: .friendsCancel, verb: "Withdraw", safeVerb: "Keep", noun: "requests",
        done: "withdrawn", undone: "the withdrawal of your requests to")
    case .unfriend:
      Words(
        id: .friendsUnfriend, verb: "Unfriend", safeVerb: "Keep", noun: "people",
        done: "unfriended",
        consequences: [
          "You no longer see each other here.",
          "To be friends again, one of you has to ask anew.",
        ])
    case .ask:
      Words(
        id: .friendsAsk, verb: "Ask", safeVerb: "Not now", noun: "people", done: "asked",
        undone: "your requests to", consequences: ["They are asked to be your friends."])
    case .block:
      Words(
        id: .friendsBlock, verb: "Block", safeVerb: "Cancel", noun: "people", done: "blocked",
        consequences: [
          "Friendship and requests end, both ways, at once.",
          "They cannot find or ask you, and are not told.",
        ])
    }
  }
}
