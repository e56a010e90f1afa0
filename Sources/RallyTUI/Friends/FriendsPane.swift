import FoundationEssentials
import RallyClient
import RallyDomain
import RallyState
import RallySystem
import RallyWire
import TerminalKit

/// Friends and requests, filtered as one types.
struct FriendsPane: View {
  let section: FriendsSection

  @Environment(\.socialStore) private var socialStore
  @Environment(\.actions) private var actions
  @Environment(\.ageClock) private var ageClock
  @Environment(\.friendsViewState) private var friendsViewState
  @Environment(\.interface) private var interface
  @Environment(\.mapStore) private var mapStore
  @Environment(\.linkService) private var linkService
  @Environment(\.navigationService) private var navigationService
  @State private var selection: PeopleRow.ID?
  @State private var filter = ""
  @State private var isFiltering = false
  @State private var model = FriendsListModel()

  var body: some View {
    let rows = rows(in: friendsViewState.order)
    VStack(spacing: 0) {
      if isFiltering || !filter.isEmpty {
        HStack(spacing: 0) {
          Text(" / ", .accent).frame(width: 3)
          TextField(text: $filter, placeholder: "part of a name", isFocused: isFiltering) {
            isFiltering = false
          }
        }
        .frame(height: 1)
      }
      PeoplePanes(
        rows: rows, selection: noted, emptyText: emptyText,
        question: [section.rawValue, filter, friendsViewState.order.rawValue], hasFacts: true)
      PeopleActions(rows: rows, selection: noted)
    }
    .onChange(of: navigationService.personToSelect) { _, id in select(id) }
    .task { select(navigationService.personToSelect) }
    // Between the key and the first letter there is time for what all letters need.
    .task(id: isFiltering) { if isFiltering { await socialStore.prepareFriendsIndex() } }
    .actions(Self.all, in: self)
    .onAction(
      .filter, disabled: rows.isEmpty && filter.isEmpty ? "There is nothing to filter." : nil
    ) { isFiltering = true }
    .onAction(.back, if: isFiltering || !filter.isEmpty) {
      isFiltering = false
      filter = ""
    }
  }

  /// The selection, which is noted for whoever comes back to this list.
  private var noted: Binding<PeopleRow.ID?> {
    let selection = $selection
    let navigation = navigationService
    return Binding(
      get: { selection.wrappedValue },
      set: { id in
        selection.wrappedValue = id
        if case .person(let person)? = id { navigation.selectedPerson = person }
      })
  }

  private func rows(in order: PeopleOrder) -> PeopleRows {
    // Only this order changes when somebody moves.
    let nearest =
      order == .near ? mapStore.positionsByDistance(at: ageClock.now).map(\.id) : []
    return model.rows(
      of: section, in: socialStore, filter: filter, order: order, nearest: nearest)
  }

  /// Sorts in the next order, and selects the first person.
  private func sort() {
    let order = friendsViewState.order.next(hasPosition: mapStore.myPosition != nil)
    friendsViewState.order = order
    noted.wrappedValue = rows(in: order).first { $0.entry != nil }?.id
    interface.say(order.sentence, topic: "order")
  }

  /// Selects whom somebody went to from elsewhere.
  private func select(_ id: UUID?) {
    guard let id else { return }
    navigationService.personToSelect = nil
    isFiltering = false
    filter = ""
    noted.wrappedValue = .person(id)
  }

  /// Loading, failed, offline and nothing there are four different things.
  private var emptyText: String {
    if !filter.isEmpty {
      return "Nobody here is called “\(filter)”. \(actions.table.way(to: .back)) clears the filter."
    }
    if case .failed(let error) = socialStore.loadState, socialStore.asOf == nil {
      return "\(error.description)"
    }
    if socialStore.asOf == nil {
      return linkService.state.isOffline
        ? "The server was not reached, and no list is stored. "
          + "\(actions.table.way(to: .refresh)) tries again."
        : "Fetching your friends…"
    }
    switch section {
    case .incoming: return "No requests for you."
    case .outgoing:
      return
        "None of your requests is open. \(actions.table.way(to: SocialHome.find.id)) finds people to ask."
    default:
      return "Nobody here yet. \(actions.table.way(to: SocialHome.find.id)) finds people by name, "
        + "\(actions.table.way(to: .codes)) makes a code to give to a friend."
    }
  }
}

extension FriendsPane {
  static let all: [FeatureAction<Self>] = [
    FeatureAction(
      id: "friends.sort", name: "sort", title: "sort",
      summary: "Sort friends by name, by distance, by last seen, or requests first.", keys: ["S"],
      section: "Friends", shown: { $0.section == .all }, run: { $0.sort() })
  ]
}

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

/// The people whom one blocks.
struct BlockedPane: View {
  @Environment(\.actions) private var actions
  @Environment(\.socialStore) private var socialStore
  @State private var selection: PeopleRow.ID?
  @State private var turn = 0

  var body: some View {
    let rows = PeopleRows(
      (socialStore.blocked.value ?? []).map {
        PersonEntry(profile: $0, status: .blocked, askedAt: nil, isInFlight: false)
      })
    VStack(spacing: 0) {
      PeoplePanes(rows: rows, selection: $selection, emptyText: emptyText)
      SelectedPersonActions(rows: rows, selection: $selection)
    }
    .onAction(.refresh) { turn += 1 }
    .task(id: [turn, socialStore.blocksRevision]) { await socialStore.fetchBlocked() }
  }

  private var emptyText: String {
    switch socialStore.blocked {
    case .idle, .loading, .cancelled: "Fetching…"
    case .failed(let failure): failure.failure.description
    case .loaded:
      "You block nobody. \(actions.table.way(to: PersonActions.block.id)) blocks the selected person."
    }
  }
}
