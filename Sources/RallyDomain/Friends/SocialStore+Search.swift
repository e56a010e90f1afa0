import FoundationEssentials
import Observation
import RallyClient
import RallySystem
import RallyText
import RallyWire

// MARK: - Search

extension SocialStore {
  /// The friends whose name or username contains the text, ignoring case and accents.
  ///
  /// - Parameters:
  ///   - query: The text as typed; an empty one fits everybody.
  ///   - limit: Of those that fit, the first ones.
  public func filteredFriends(query: String, limit: Int = .max) -> [CommunityProfile] {
    guard let numbers = filteredFriendNumbers(query: query) else {
      return Array(friends.prefix(limit))
    }
    return numbers.prefix(limit).map { friends[Int($0)] }
  }

  /// As `filteredFriends`, by their places in `friends`; nil if all fit. No friend is copied for it.
  public func filteredFriendNumbers(query: String) -> [Int32]? {
    // Reading the list makes a view observe every change of the friends.
    _ = friends
    return friendsFilter.numbers(containing: query, in: friendsIndex)
  }

  /// Builds `friendsIndex` in the background, so that the first letter does not wait for it.
  ///
  /// - What: Makes the index that filters and the palette search.
  /// - How: Off the main actor; it is dropped if the friends changed meanwhile.
  /// - Why: The first letter of a filter must not wait for an index of a hundred thousand names.
  /// - Service Calls: None
  public func prepareFriendsIndex() async {
    guard madeFriendsIndex == nil else { return }
    let friends = friends
    let index = await Task.detached(priority: .userInitiated) {
      SearchIndex(friends, fields: CommunityProfile.searchedFields)
    }.value
    if madeFriendsIndex == nil, friends == self.friends { madeFriendsIndex = index }
  }

  /// The search index of names and usernames, in the order of `friends`.
  public var friendsIndex: SearchIndex {
    let friends = friends
    if let madeFriendsIndex { return madeFriendsIndex }
    let index = SearchIndex(friends, fields: CommunityProfile.searchedFields)
    madeFriendsIndex = index
    return index
  }

  /// Searches people by the text of the search field.
  ///
  /// - What: Fills `peopleResults`, or empties it if the scope or the text excludes everybody.
  /// - How: Waits until typing pauses, sends one request per text, and drops the response to an
  ///   older text.
  /// - Why: Results appear as one types, without a request for each letter.
  /// - Service Calls: `FriendsService.searchPeople`
  /// - Parameters:
  ///   - query: The text as typed.
  ///   - searchScope: `.friends` searches nobody else.
  public func runPeopleSearchIfNeeded(query: String, searchScope: CommunitySearchScope) async {
    await peopleSearch.run(query: query, searchScope: searchScope) {
      publish(isSearchAnswer: true)
    }
  }
}

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
