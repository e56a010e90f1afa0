import FoundationEssentials
import RallyDomain
import RallyWire
import RallyWords
import TerminalKit

/// Offers what can be done with the selected person, or with all who are marked, and to mark; takes no
/// room.
struct PeopleActions: View {
  let rows: PeopleRows
  let selection: Binding<PeopleRow.ID?>
  /// People who can be marked in addition to those of the store's lists.
  var others: [PersonEntry] = []
  /// Whether people in none of the lists are unmarked.
  var isWhole = true

  @Environment(\.interface) private var interface
  @Environment(\.socialStore) private var socialStore

  var body: some View {
    let marks = interface.friendMarks
    let marked = marked
    if marked.isEmpty {
      SelectedPersonActions(rows: rows, selection: selection)
    } else {
      PeopleBulkActions(marks: marks, people: marked)
    }
    MarkActions(marks: marks, rows: order, selection: selectedPerson)
      .onChange(of: gone(marked)) { marks.remove($1) }
  }

  /// Marked people who are in no list any more. A search unmarks nobody: its results change.
  private func gone(_ marked: [PersonEntry]) -> Set<UUID> {
    guard isWhole else { return [] }
    return interface.friendMarks.ids.subtracting(marked.map(\.id))
  }

  /// Those who are there of those who are marked, in the order of the lists.
  private var marked: [PersonEntry] {
    let ids = interface.friendMarks.ids
    guard !ids.isEmpty else { return [] }
    let known = socialStore.requestEntries.filter { ids.contains($0.id) }
    let friends = socialStore.friends.filter { ids.contains($0.id) }.map {
      PersonEntry(
        profile: $0, status: .friends, askedAt: nil, isInFlight: socialStore.isInFlight($0.id))
    }
    let found = Set((known + friends).map(\.id))
    return known + friends + others.filter { ids.contains($0.id) && !found.contains($0.id) }
  }

  private var order: RowOrder {
    RowOrder(
      count: rows.count,
      id: { if case .person(let id) = rows.id(at: $0) { id } else { nil } },
      position: { rows.position(of: .person($0)) })
  }

  private var selectedPerson: Binding<UUID?> {
    Binding(
      get: {
        guard case .person(let id)? = selection.wrappedValue,
          rows.position(of: .person(id)) != nil
        else { return nil }
        return id
      },
      set: { selection.wrappedValue = $0.map(PeopleRow.ID.person) })
  }
}

/// Registers the bulk actions for marked people; draws nothing.
struct PeopleBulkActions: View {
  let marks: RowMarks
  let people: [PersonEntry]

  @Environment(\.actions) private var actions
  @Environment(\.socialStore) private var socialStore
  @Environment(\.interface) private var interface

  var body: some View { EmptyView().onActions(handlers) }

  private var handlers: [ActionHandler] {
    let status = Set(people.map(\.status))
    let mixed = "They are not all of one kind: mark only requests, or only friends."
    let adding: [(FriendshipStatus, BulkAction)] = [(.incoming, .accept), (.none, .ask)]
    let removing: [(FriendshipStatus, BulkAction)] = [
      (.incoming, .decline), (.outgoing, .cancel), (.friends, .unfriend),
    ]
    var handlers: [ActionHandler] = []
    for group in [adding, removing] {
      let fitting = group.filter { status.contains($0.0) }
      // A key must not mean different actions for different marked people.
      let reason = fitting.count > 1 || status.contains(.blocked) ? mixed : nil
      for (_, action) in fitting {
        handlers.append(ActionHandler(action.text.id, disabled: reason) { confirm(action) })
      }
    }
    return handlers + [ActionHandler(PersonActions.block.id) { confirm(.block) }]
  }

  private func confirm(_ action: BulkAction) {
    let chosen = people.filter { action.fits($0) }
    guard !chosen.isEmpty else { return }
    let text = action.text
    interface.question = Question(
      id: text.id, title: "\(text.verb) \(BulkAction.counted(chosen.count, text.noun))?",
      consequences: [BulkActionText.names(chosen.map(\.profile.displayName)) + "."]
        + text.consequences,
      verb: text.verb, safeVerb: text.safeVerb
    ) {
      Task { await perform(action, with: chosen.map(\.profile)) }
    }
  }

  private func perform(_ action: BulkAction, with people: [CommunityProfile]) async {
    let store = socialStore
    let outcome = await interface.history.act(
      action.text.act, isDone: { !$0.done.isEmpty },
      undoneBy: { undoing(action, for: $0.done) }
    ) { await store.perform(action, for: people) }
    marks.remove(outcome.done.map(\.id))
    let hasUndo = action.inverse != nil && !outcome.done.isEmpty
    interface.report(
      outcome, action.text.done, name: \.displayName,
      note: hasUndo ? "  \(actions.table.way(to: .undo)) undo" : "")
  }

  private func undoing(_ action: BulkAction, for done: [CommunityProfile]) -> UndoHistory.Command? {
    guard let inverse = action.inverse else { return nil }
    let (store, interface) = (socialStore, interface)
    return UndoHistory.Command(
      label: "\(action.text.undone) \(BulkAction.counted(done.count, "people"))",
      undo: {
        interface.isWholly(
          await store.perform(inverse, for: done), inverse.text.done, name: \.displayName)
      },
      redo: {
        interface.isWholly(
          await store.perform(action, for: done), action.text.done, name: \.displayName)
      })
  }
}

extension BulkAction {
  struct Text {
    var id: ActionID
    var verb: String
    var safeVerb: String
    /// What the action applies to, in the plural.
    var noun: String
    /// Past tense: `accepted`.
    var done: String
    /// Begins "Unfriending cannot be undone."
    var act: String
    /// Continues "Undone: ".
    var undone = ""
    var consequences: [String] = []
  }

  /// Whether the action applies to a person now.
  func fits(_ entry: PersonEntry) -> Bool {
    guard !entry.isInFlight else { return false }
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

  var text: Text {
    switch self {
    case .accept:
      Text(
        id: PersonActions.accept.id, verb: "Accept", safeVerb: "Not now", noun: "requests",
        done: "accepted", act: "Accepting requests",
        consequences: ["You will be friends, and each sees when the other is online."])
    case .decline:
      Text(
        id: PersonActions.decline.id, verb: "Decline", safeVerb: "Not now", noun: "requests",
        done: "declined", act: "Declining requests")
    case .cancel:
      Text(
        id: PersonActions.cancel.id, verb: "Withdraw", safeVerb: "Keep", noun: "requests",
        done: "withdrawn", act: "Withdrawing requests", undone: "the withdrawal of your requests to"
      )
    case .unfriend:
      Text(
        id: PersonActions.unfriend.id, verb: "Unfriend", safeVerb: "Keep", noun: "people",
        done: "unfriended", act: "Unfriending",
        consequences: [
          "You no longer see each other here.",
          "To be friends again, one of you has to ask anew.",
        ])
    case .ask:
      Text(
        id: PersonActions.ask.id, verb: "Ask", safeVerb: "Not now", noun: "people", done: "asked",
        act: "Asking",
        undone: "your requests to", consequences: ["They are asked to be your friends."])
    case .block:
      Text(
        id: PersonActions.block.id, verb: "Block", safeVerb: "Cancel", noun: "people",
        done: "blocked", act: "Blocking",
        consequences: [
          "Friendship and requests end, both ways, at once.",
          "They cannot find or ask you, and are not told.",
        ])
    }
  }
}
