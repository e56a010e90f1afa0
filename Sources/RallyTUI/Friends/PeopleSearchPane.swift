import RallyDomain
import RallyWire
import TerminalKit

/// Finds people on the server as one types, and asks them to be friends.
struct PeopleSearchPane: View {
  @Environment(\.actions) private var actions
  @Environment(\.socialStore) private var socialStore
  @Environment(\.navigationService) private var navigationService
  @State private var query = ""
  @State private var isTyping = true
  @State private var selection: PeopleRow.ID?

  var body: some View {
    let found = query.isEmpty ? [] : socialStore.entries(for: socialStore.peopleResults)
    let rows = PeopleRows(found)
    VStack(spacing: 0) {
      HStack(spacing: 0) {
        Text(" Find ", .accent).frame(width: 6)
        TextField(text: $query, placeholder: "a name or a username", isFocused: isTyping) {
          submit(rows)
        }
      }
      .frame(height: 1)
      PeoplePanes(rows: rows, selection: $selection, emptyText: emptyText, question: query)
      PeopleActions(rows: rows, selection: $selection, others: found, isWhole: false)
    }
    .onKey(KeyChord(.down)) {
      // Into the list, where letters are keys; the list moves as well.
      isTyping = false
      return false
    }
    .onAction(.filter) { isTyping = true }
    .onAction(SocialHome.find.id) { isTyping = true }
    .onAction(.back) { stepBack() }
    .task(id: query) {
      await socialStore.runPeopleSearchIfNeeded(query: query, searchScope: .people)
    }
  }

  /// Asks the selected person at once; goes to the list if they cannot be asked, or were found for
  /// an earlier text.
  private func submit(_ rows: PeopleRows) {
    guard !rows.isEmpty else { return }
    let isMeant =
      rows.entry(of: selection).map { $0.status == .none && $0.profile.matches(query) } ?? false
    if !isMeant || !actions.perform(PersonActions.ask.id) { isTyping = false }
  }

  private func stepBack() {
    if navigationService.pop() { return }
    if isTyping, !query.isEmpty {
      query = ""
    } else {
      navigationService.friendsSection = .all
    }
  }

  private var emptyText: String {
    if query.isEmpty {
      return
        "Type part of a name. \(actions.table.way(to: .submit)) asks the selected person to be "
        + "friends, Down goes to the list."
    }
    switch socialStore.peopleSearchState {
    case .idle, .searching: return "Searching…"
    case .failed(let sentence): return sentence
    case .found: return "Nobody found. Names are matched from their beginning or in part."
    }
  }
}
