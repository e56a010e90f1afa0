import Foundation
import RallyDomain

/// Friends and requests, filtered as one types.
struct FriendsPane: View {
  let section: FriendsSection

  @Environment(\.socialStore) private var socialStore
  @Environment(\.actions) private var actions
  @Environment(\.linkService) private var linkService
  @State private var selection: PeopleRow.ID?
  @State private var filter = ""
  @State private var isFiltering = false

  var body: some View {
    let rows = socialStore.rows(of: section, filter: filter)
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
      PeoplePanes(rows: rows, selection: $selection, emptyText: emptyText)
      SelectedPersonActions(rows: rows, selection: $selection)
    }
    .onAction(.filter) { isFiltering = true }
    .onAction(.back, if: isFiltering || !filter.isEmpty) {
      isFiltering = false
      filter = ""
    }
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
        ? "The server is not reached, and nothing is known from before. "
          + "\(actions.table.way(to: .refresh)) tries again."
        : "Fetching your friends…"
    }
    switch section {
    case .incoming: return "Nobody waits for your answer."
    case .outgoing:
      return
        "You wait for nobody's answer. \(actions.table.way(to: .friendsFind)) finds people to ask."
    default: return "Nobody here yet. \(actions.table.way(to: .friendsFind)) finds people by name."
    }
  }
}
