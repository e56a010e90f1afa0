import RallyDomain
import RallySystem
import RallyWire
import TerminalKit

/// Finds friends, and people on the server, as one types; asks those to be friends who are none.
struct PeopleSearchPane: View {
  @Environment(\.actions) private var actions
  @Environment(\.socialStore) private var socialStore
  @Environment(\.navigationService) private var navigationService
  @State private var query = ""
  @State private var isTyping = true
  @State private var selection: PeopleRow.ID?

  var body: some View {
    let found = found
    let rows = PeopleRows(sections(of: found))
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
      await socialStore.runPeopleSearchIfNeeded(query: query, searchScope: .all)
    }
  }

  /// Friends that fit, at most so many; the filter of the list of friends has all of them.
  private static let mostFriends = 20

  private var found: [PersonEntry] {
    guard !query.isEmpty else { return [] }
    let friends = socialStore.filteredFriends(query: query, limit: Self.mostFriends)
    let ids = Set(friends.map(\.id))
    return socialStore.entries(
      for: friends + socialStore.peopleResults.filter { !ids.contains($0.id) })
  }

  /// Friends stand above the others, with headings where there are both.
  private func sections(of found: [PersonEntry]) -> [PeopleRows.Section] {
    let (friends, others) = (
      found.filter { $0.status == .friends }, found.filter { $0.status != .friends }
    )
    let hasBoth = !friends.isEmpty && !others.isEmpty
    return [
      PeopleRows.Section(hasBoth ? "Friends" : nil, friends),
      PeopleRows.Section(hasBoth ? "Others" : nil, others),
    ]
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
    case .found:
      return "Nobody found. Who is not here yet comes in by a code: "
        + "\(actions.table.way(to: .back)), then \(actions.table.way(to: .codes))."
    }
  }
}
