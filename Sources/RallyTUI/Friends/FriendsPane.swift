import FoundationEssentials
import RallyClient
import RallyDomain
import RallySystem
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

nonisolated extension FriendsPane {
  static let all: [FeatureAction<Self>] = [
    FeatureAction(
      id: "friends.sort", name: "sort", title: "sort",
      summary: "Sort friends by name, by distance, by last seen, or requests first.", keys: ["S"],
      section: "Friends", shown: { $0.section == .all }, run: { $0.sort() })
  ]
}
