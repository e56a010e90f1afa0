import Foundation
import RallyDomain

/// The people whom one blocks: a service and a view, no store is needed.
struct BlockedPane: View {
  @Environment(\.friendsService) private var friendsService
  @State private var people: LoadableValue<[CommunityProfile], BlockedListFailure> = .idle
  @State private var selection: PeopleRow.ID?
  @State private var turn = 0

  var body: some View {
    let rows: [PeopleRow] = (people.value ?? []).map {
      .person(PersonEntry(profile: $0, status: .blocked, askedAt: nil, isSettling: false))
    }
    PeoplePanes(rows: rows, selection: $selection, emptyText: emptyText)
      .personActions(rows.first { $0.id == selection }?.entry) { turn += 1 }
      .onAction(.refresh) { turn += 1 }
      .task(id: turn) { await load() }
  }

  private func load() async {
    do {
      var all: [CommunityProfile] = []
      while true {
        let page = try await friendsService.fetchBlockedUsers(offset: all.count)
        all += page
        if page.isEmpty { break }
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
    case .loaded: "You block nobody. B blocks the selected person."
    }
  }
}

struct BlockedListFailure: Error, Hashable {
  var sentence: String
}
