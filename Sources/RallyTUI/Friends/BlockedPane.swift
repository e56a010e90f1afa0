import FoundationEssentials
import RallyClient
import RallyDomain
import RallyState
import RallySystem
import RallyWire
import TerminalKit

/// The people whom one blocks: a service and a view, no store is needed.
struct BlockedPane: View {
  @Environment(\.actions) private var actions
  @Environment(\.socialStore) private var socialStore
  @Environment(\.friendsService) private var friendsService
  @State private var people: LoadableValue<[CommunityProfile], BlockedListFailure> = .idle
  @State private var selection: PeopleRow.ID?
  @State private var turn = 0

  var body: some View {
    let rows = PeopleRows(
      (people.value ?? []).map {
        PersonEntry(profile: $0, status: .blocked, askedAt: nil, isInFlight: false)
      })
    VStack(spacing: 0) {
      PeoplePanes(rows: rows, selection: $selection, emptyText: emptyText)
      SelectedPersonActions(rows: rows, selection: $selection)
    }
    .onAction(.refresh) { turn += 1 }
    .task(id: [turn, socialStore.blocksRevision]) { await load() }
  }

  private func load() async {
    do {
      let friendsService = friendsService
      let all = try await Pages.all {
        try await friendsService.fetchBlockedUsers(limit: Paging.maximumLimit, offset: $0)
      }
      people = .loaded(LoadingSuccess(value: all, timestamp: Date()))
    } catch {
      guard !error.isExpectedError() else { return }
      people = .failed(
        LoadingFailure(failure: BlockedListFailure(sentence: error.sentence), timestamp: Date()))
    }
  }

  private var emptyText: String {
    switch people {
    case .idle, .loading, .cancelled: "Fetching…"
    case .failed(let failure): failure.failure.sentence
    case .loaded:
      "You block nobody. \(actions.table.way(to: PersonActions.block.id)) blocks the selected person."
    }
  }
}

struct BlockedListFailure: ReportableError, Hashable {
  var sentence: String
}
