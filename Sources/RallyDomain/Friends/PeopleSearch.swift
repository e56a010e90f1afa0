import FoundationEssentials
import Observation
import RallyClient
import RallySystem
import RallyText
import RallyWire

/// Searches people by the text of a search field: one request per text, once typing pauses.
@MainActor
@Observable
final class PeopleSearch {
  private(set) var results: [CommunityProfile] = []
  private(set) var state: PeopleSearchState = .idle

  @ObservationIgnored private var generation = 0
  @ObservationIgnored private var text: String?
  /// Whether the results are those of `text`.
  @ObservationIgnored private var isAnswered = false
  @ObservationIgnored private let friendsService: FriendsService
  @ObservationIgnored private let pause: Duration

  init(friendsService: FriendsService, pause: Duration) {
    self.friendsService = friendsService
    self.pause = pause
  }

  /// Searches for a text if it is new.
  ///
  /// - Parameter found: Called with new results in place.
  func run(query: String, searchScope: CommunitySearchScope, found: () -> Void) async {
    guard update(query: query, searchScope: searchScope) else { return }
    let generation = generation
    guard (try? await DispatchSleep.for(pause)) != nil else { return }
    await search(generation: generation, found: found)
  }

  /// Searches again for the present text, or for a new one; an empty one is not new.
  func refresh(query: String, searchScope: CommunitySearchScope, found: () -> Void) async {
    if !query.isEmpty { _ = update(query: query, searchScope: searchScope) }
    guard text != nil else { return }
    generation += 1
    await search(generation: generation, found: found)
  }

  /// Takes the same people with another relationship to me.
  func update(_ people: [CommunityProfile]) {
    // A write that changes nothing would still wake every view that reads it.
    if people != results { results = people }
  }

  func setStatus(_ status: FriendshipStatus, of userID: UUID) {
    for index in results.indices where results[index].id == userID {
      results[index].friendshipStatus = status
    }
  }

  /// Sets the current text; false if it needs no request.
  private func update(query: String, searchScope: CommunitySearchScope) -> Bool {
    let trimmed = query.trimmed
    let new = searchScope == .friends || trimmed.isEmpty ? nil : trimmed
    // A text without a response is searched again: the first search may have been cancelled.
    if new == text, new == nil || isAnswered { return false }
    text = new
    isAnswered = false
    generation += 1
    guard new != nil else {
      results = []
      state = .idle
      return false
    }
    return true
  }

  private func search(generation: Int, found: () -> Void) async {
    guard generation == self.generation, let text else { return }
    state = .searching
    do {
      let people = try await friendsService.searchPeople(query: text).rows
      guard generation == self.generation else { return }
      results = people
      state = .found
      isAnswered = true
      found()
    } catch {
      guard generation == self.generation else { return }
      if error.isExpectedError() {
        state = results.isEmpty ? .idle : .found
      } else {
        state = .failed(error.sentence)
      }
    }
  }
}
