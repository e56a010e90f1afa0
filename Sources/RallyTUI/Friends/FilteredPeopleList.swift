import FoundationEssentials
import RallyDomain
import RallySystem
import RallyText
import RallyWire

/// One list of people as a pane shows it: the filtered ids, and the index of a person.
///
/// What is needed for that is made once for each list that the store gives, and a longer filter looks
/// only among what the shorter one left.
final class FilteredPeopleList<Person: Equatable> {
  private(set) var people: [Person] = []
  private var ids: [UUID] = []
  private var index: SearchIndex?
  private var filter = GrowingFilter()
  /// Grows with each other list.
  private(set) var revision = 0
  /// The last person looked up; usually the next lookup is a neighbour.
  private var found = 0
  /// Whether the row of any person says how long ago something was.
  private(set) var showsAge = false

  private let id: ([Person], Int) -> UUID
  private let fields: [(Person) -> String]
  private let hasAge: ([Person], Int) -> Bool

  /// - Parameters:
  ///   - id: Of the person at an index; a person that is handed over is copied.
  ///   - hasAge: Whether the row of the person at an index says how long ago something was.
  init(
    id: @escaping ([Person], Int) -> UUID, fields: [(Person) -> String],
    hasAge: @escaping ([Person], Int) -> Bool
  ) {
    self.id = id
    self.fields = fields
    self.hasAge = hasAge
  }

  /// Takes the list of now; the same one as before costs nothing.
  func take(_ people: [Person]) {
    guard !people.sharesMemory(with: self.people) else { return }
    self.people = people
    ids = people.indices.map { id(people, $0) }
    showsAge = people.indices.contains { hasAge(people, $0) }
    index = nil
    filter = GrowingFilter()
    revision += 1
  }

  /// The numbers of those whose names the filter fits, in order; nil for everybody.
  func numbers(fitting text: String) -> [Int32]? {
    filter.numbers(containing: text, in: searchIndex())
  }

  private func searchIndex() -> SearchIndex {
    let searched = index ?? SearchIndex(people, fields: fields)
    index = searched
    return searched
  }

  /// The index of a person in `ids`; nil if not contained.
  private func number(of person: UUID, in ids: [UUID]) -> Int? {
    for distance in 0...32 {
      for number in [found - distance, found + distance]
      where ids.indices.contains(number) && ids[number] == person {
        found = number
        return number
      }
    }
    guard let number = ids.firstIndex(of: person) else { return nil }
    found = number
    return number
  }

  /// The index of a number in a sorted part of them.
  static func position(of number: Int, among numbers: [Int32]) -> Int? {
    let place = numbers.firstPlace { $0 < number }
    return place < numbers.count && numbers[place] == number ? place : nil
  }

  /// Some of them in another order, as a section that stays as it is when the next list is taken.
  func section(
    _ title: String?, ordered numbers: [Int32], showsAge: Bool,
    entry: @escaping (Person) -> PersonEntry
  ) -> PeopleRows.Section {
    let (people, ids) = (people, ids)
    var places = [Int32](repeating: -1, count: people.count)
    for (place, number) in numbers.enumerated() { places[Int(number)] = Int32(place) }
    return PeopleRows.Section(
      title: title, count: numbers.count, id: { ids[Int(numbers[$0])] },
      entry: { entry(people[Int(numbers[$0])]) },
      position: { person in
        self.number(of: person, in: ids).flatMap { places[$0] < 0 ? nil : Int(places[$0]) }
      }, showsAge: showsAge)
  }

  /// Some of them, or all, as a section that stays as it is when the next list is taken.
  func section(
    _ title: String?, _ numbers: [Int32]?, showsAge: Bool,
    entry: @escaping (Person) -> PersonEntry
  ) -> PeopleRows.Section {
    let (people, ids) = (people, ids)
    guard let numbers else {
      return PeopleRows.Section(
        title: title, count: people.count, id: { ids[$0] }, entry: { entry(people[$0]) },
        position: { self.number(of: $0, in: ids) }, showsAge: showsAge)
    }
    return PeopleRows.Section(
      title: title, count: numbers.count, id: { ids[Int(numbers[$0])] },
      entry: { entry(people[Int(numbers[$0])]) },
      position: { person in
        self.number(of: person, in: ids).flatMap { Self.position(of: $0, among: numbers) }
      }, showsAge: showsAge)
  }
}

/// The lists of the Friends tab, filtered.
final class FriendsListModel {
  private let friends = FilteredPeopleList<CommunityProfile>(
    id: { $0[$1].id }, fields: CommunityProfile.searchedFields,
    // Field by field: to ask the profile copies it.
    hasAge: { $0[$1].presence != .online && $0[$1].lastSeen != nil })
  private let incoming = FilteredPeopleList<FriendRequestItem>(
    id: { $0[$1].id }, fields: FriendsListModel.requestFields, hasAge: { _, _ in true })
  private let outgoing = FilteredPeopleList<FriendRequestItem>(
    id: { $0[$1].id }, fields: FriendsListModel.requestFields, hasAge: { _, _ in true })
  /// Who of the friends is there, by their numbers; of the list with this revision.
  private var presence: (revision: Int, online: [Int32], offline: [Int32]) = (0, [], [])
  private let ordered = OrderedFriends()

  private static var requestFields: [(FriendRequestItem) -> String] {
    [\.profile.displayName, \.profile.handle]
  }

  /// The rows of a list of the Friends tab, those that the filter leaves.
  ///
  /// - Parameters:
  ///   - order: Of all friends; requests are always sorted by time.
  ///   - nearest: Friends by distance, for that order.
  func rows(
    of list: FriendsSection, in store: SocialStore, filter: String,
    order: PeopleOrder = .requests, nearest: [UUID] = []
  ) -> PeopleRows {
    let inFlight = store.inFlightProfileIDs.union(store.unfriendingProfileIDs)
    let asks = store.locationAsks
    func requests(
      _ shelf: FilteredPeopleList<FriendRequestItem>, _ title: String?, _ status: FriendshipStatus
    ) -> PeopleRows.Section {
      shelf.section(title, shelf.numbers(fitting: filter), showsAge: shelf.showsAge) { item in
        PersonEntry(
          profile: item.profile, status: status, askedAt: item.createdAt,
          isInFlight: inFlight.contains(item.id))
      }
    }
    let entry: (CommunityProfile) -> PersonEntry = { friend in
      PersonEntry(
        profile: friend, status: .friends, askedAt: nil,
        isInFlight: inFlight.contains(friend.id), asksSince: asks.incoming[friend.id],
        locationAskedAt: asks.outgoing[friend.id])
    }
    func section(_ title: String, _ numbers: [Int32], showsAge: Bool) -> PeopleRows.Section {
      friends.section(title, numbers, showsAge: showsAge, entry: entry)
    }
    incoming.take(store.incomingRequests)
    outgoing.take(store.outgoingRequests)
    switch list {
    case .all:
      friends.take(store.friends)
      let shown = store.filteredFriendNumbers(query: filter)
      let showsAge = friends.showsAge || !asks.outgoing.isEmpty
      if let heading = order.heading {
        let numbers = ordered.numbers(
          of: friends.people, revision: friends.revision, order: order,
          nearest: nearest, shown: shown)
        return PeopleRows([
          friends.section(
            heading, ordered: numbers, showsAge: showsAge || !asks.incoming.isEmpty, entry: entry),
          requests(incoming, "Requests for you", .incoming),
          requests(outgoing, "You asked", .outgoing),
        ])
      }
      let parts = parts(of: shown, asking: Set(asks.incoming.keys))
      return PeopleRows([
        section("Ask where you are", parts.asking, showsAge: true),
        requests(incoming, "Requests for you", .incoming),
        section("Online", parts.online, showsAge: !asks.outgoing.isEmpty),
        section("Friends", parts.offline, showsAge: showsAge),
        requests(outgoing, "You asked", .outgoing),
      ])
    case .incoming: return PeopleRows([requests(incoming, nil, .incoming)])
    case .outgoing: return PeopleRows([requests(outgoing, nil, .outgoing)])
    case .blocked, .find: return PeopleRows()
    }
  }

  /// Those who ask where I am are in the first part only.
  private func parts(
    of numbers: [Int32]?, asking: Set<UUID>
  ) -> (asking: [Int32], online: [Int32], offline: [Int32]) {
    let (online, offline) = parts(of: numbers)
    guard !asking.isEmpty else { return ([], online, offline) }
    func isAsking(_ number: Int32) -> Bool { asking.contains(friends.people[Int(number)].id) }
    return (
      (online + offline).filter(isAsking).sorted(), online.filter { !isAsking($0) },
      offline.filter { !isAsking($0) }
    )
  }

  private func parts(of numbers: [Int32]?) -> (online: [Int32], offline: [Int32]) {
    let people = friends.people
    if presence.revision != friends.revision {
      presence = (friends.revision, [], [])
      presence.offline.reserveCapacity(people.count)
      for number in people.indices {
        if people[number].presence == .online {
          presence.online.append(Int32(number))
        } else {
          presence.offline.append(Int32(number))
        }
      }
    }
    guard let numbers else { return (presence.online, presence.offline) }
    return (
      numbers.filter { people[Int($0)].isOnline }, numbers.filter { !people[Int($0)].isOnline }
    )
  }
}
