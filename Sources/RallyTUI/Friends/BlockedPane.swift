import RallyDomain
import RallyState
import RallyWire
import TerminalKit

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
