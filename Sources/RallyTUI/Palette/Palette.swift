import FoundationEssentials
import Observation
import RallyDomain
import RallyEnvironment
import RallySystem
import RallyText
import RallyWire
import TerminalKit

/// The items of the palette, captured when it opened, and their fuzzy search.
///
/// Ranked as in fzf, with a bonus for recent picks. While the query gets longer, only the previous
/// hits are searched.
final class Palette {
  /// Maximum number of hits in the list.
  static let limit = 100
  /// Maximum number of suggestions of each kind for an empty query.
  private static let suggestionLimit = 12

  /// One kind of items, in the order in which they are suggested.
  private struct Source {
    let index: SearchIndex
    let target: @MainActor (Int) -> PaletteItem.Target
    /// The index of a target; nil if it is not in this source.
    let number: @MainActor (PaletteItem.Target) -> Int?
    let item: @MainActor (Int) -> PaletteItem
    /// Score bonuses of recent picks, by index.
    let lifts: [Int: Int]
    /// The indices of the last query's hits; nil before the first query.
    var last: [Int32]?
  }

  private var sources: [Source] = []
  private let finder: PlaceFinder
  /// Recent picks, newest first.
  private let recent: [PaletteItem.Target]
  private var lastQuery = FuzzyQuery("")
  private var known: (text: String, streets: [Place], hits: [PaletteItem])?

  /// - Parameters:
  ///   - isOnMap: Whether a friend shares a position.
  ///   - recent: Recent picks, newest first.
  init(
    friends: [CommunityProfile] = [], friendsIndex: SearchIndex? = nil,
    requests: [PersonEntry] = [], missions: [Mission] = [], actions: [AvailableAction] = [],
    finder: PlaceFinder = .none, recent: [PaletteItem.Target] = [], now: WireTime = .now,
    isOnMap: @escaping @MainActor (UUID) -> Bool = { _ in false }
  ) {
    self.finder = finder
    self.recent = recent
    add(SearchIndex(requests, fields: [\.profile.displayName, \.profile.handle])) {
      .person(requests[$0].id)
    } number: { target in
      guard case .person(let id) = target else { return nil }
      return requests.firstIndex { $0.id == id }
    } item: {
      PaletteItem(requests[$0], isOnMap: false)
    }
    add(friendsIndex ?? SearchIndex(friends, fields: CommunityProfile.searchedFields)) {
      .person(friends[$0].id)
    } number: { target in
      guard case .person(let id) = target else { return nil }
      return friends.firstIndex { $0.id == id }
    } item: {
      let friend = friends[$0]
      return PaletteItem(
        PersonEntry(profile: friend, status: .friends, askedAt: nil, isInFlight: false),
        isOnMap: isOnMap(friend.id))
    }
    add(SearchIndex(missions, fields: [\.record.title])) {
      .mission(missions[$0].id)
    } number: { target in
      missions.firstIndex { .mission($0.id) == target }
    } item: {
      PaletteItem(missions[$0], at: now)
    }
    add(SearchIndex(actions, fields: [\.action.name, \.action.summary])) {
      .action(actions[$0].id)
    } number: { target in
      actions.firstIndex { .action($0.id) == target }
    } item: {
      PaletteItem(actions[$0])
    }
  }

  private func add(
    _ index: SearchIndex, target: @escaping @MainActor (Int) -> PaletteItem.Target,
    number: @escaping @MainActor (PaletteItem.Target) -> Int?,
    item: @escaping @MainActor (Int) -> PaletteItem
  ) {
    var lifts: [Int: Int] = [:]
    for (position, target) in recent.enumerated() {
      if let number = number(target) { lifts[number] = Self.lift(ofRecent: position) }
    }
    sources.append(
      Source(index: index, target: target, number: number, item: item, lifts: lifts))
  }

  /// The hits for a query, best first; suggestions if it is empty.
  ///
  /// - Parameter streets: Streets and places of the archives that were found for it.
  func hits(for text: String, streets: [Place] = []) -> [PaletteItem] {
    if let known, known.text == text, known.streets == streets { return known.hits }
    let query = FuzzyQuery(text)
    let hits = query.isEmpty ? suggestions() : ranked(query, text, streets)
    known = (text, streets, hits)
    return hits
  }

  // MARK: Suggestions

  private func suggestions() -> [PaletteItem] {
    var items: [PaletteItem] = []
    var seen: Set<PaletteItem.Target> = []
    for target in recent {
      guard let item = item(of: target), seen.insert(target).inserted else { continue }
      items.append(item)
    }
    for source in sources {
      for number in 0..<min(source.index.count, Self.suggestionLimit)
      where seen.insert(source.target(number)).inserted {
        items.append(source.item(number))
      }
    }
    return items
  }

  private func item(of target: PaletteItem.Target) -> PaletteItem? {
    if case .place(let place) = target { return PaletteItem(place) }
    for source in sources {
      if let number = source.number(target) { return source.item(number) }
    }
    return nil
  }

  // MARK: Ranking

  /// The sort key of a hit.
  private struct Rank: Comparable {
    var score: Int
    /// Shorter texts first; then by kind, and by order within it.
    var length: Int
    var kind: Int
    var number: Int

    static func < (one: Rank, other: Rank) -> Bool {
      (-one.score, one.length, one.kind, one.number)
        < (-other.score, other.length, other.kind, other.number)
    }
  }

  private func ranked(
    _ query: FuzzyQuery, _ text: String, _ streets: [Place]
  ) -> [PaletteItem] {
    let isNarrower = query.narrows(lastQuery)
    lastQuery = query
    var best = TopList<Rank>(limit: Self.limit)
    for kind in sources.indices {
      let hits = sources[kind].index.hits(
        for: query, among: isNarrower ? sources[kind].last : nil)
      let lifts = sources[kind].lifts
      var numbers: [Int32] = []
      numbers.reserveCapacity(hits.count)
      for hit in hits {
        numbers.append(Int32(hit.number))
        let lift = lifts.isEmpty ? 0 : lifts[hit.number] ?? 0
        best.add(
          Rank(score: hit.score + lift, length: hit.length, kind: kind, number: hit.number))
      }
      sources[kind].last = numbers
    }
    let places = places(for: query, text, streets)
    for (number, place) in places.enumerated() {
      // In the finder's order, after own items with the same score.
      best.add(Rank(score: place.score, length: .max, kind: sources.count, number: number))
    }
    return best.items.map { rank in
      rank.kind == sources.count
        ? PaletteItem(places[rank.number].place) : sources[rank.kind].item(rank.number)
    }
  }

  /// The score bonus of a recent pick: about that of a few letters at word starts, less for older
  /// picks.
  private static func lift(ofRecent position: Int) -> Int { max(4, 24 - position * 2) }

  private func places(
    for query: FuzzyQuery, _ text: String, _ streets: [Place]
  ) -> [(place: Place, score: Int)] {
    let text = text.trimmed
    if let place = try? finder.resolve(text), place.name == nil {
      return [(place, 0)]
    }
    // A single letter would match a thousand cities.
    guard text.count >= 2 else { return [] }
    let places = finder.find(text) + streets
    let scores = SearchIndex(places, fields: [\.searchedName, \.searchedDetail]).hits(for: query)
    let known = Dictionary(scores.map { ($0.number, $0.score) }) { first, _ in first }
    return places.enumerated().map { number, place in
      let lift = recent.firstIndex(of: .place(place)).map(Self.lift) ?? 0
      // Zero for a place that was found by an alternative name.
      return (place, (known[number] ?? 0) + lift)
    }
  }
}

extension Place {
  fileprivate var searchedName: String { name ?? "" }
  fileprivate var searchedDetail: String { detail ?? "" }
}

/// Keeps the smallest values of many, without sorting all of them.
struct TopList<Value: Comparable> {
  let limit: Int
  /// Sorted.
  private(set) var items: [Value] = []

  init(limit: Int) { self.limit = max(1, limit) }

  mutating func add(_ value: Value) {
    if items.count == limit {
      guard let last = items.last, value < last else { return }
      items.removeLast()
    }
    items.insert(value, at: items.firstPlace { !(value < $0) })
  }
}

/// The palette while it is open, and what was chosen in it.
@Observable
final class PaletteState {
  /// The palette's items when it was opened; nil before that.
  var palette: Palette?
  /// Recent choices of the palette, the newest first.
  private(set) var recentPicks: [PaletteItem.Target] = []

  /// Records a choice of the palette, for the order of later results.
  func picked(_ target: PaletteItem.Target) {
    recentPicks = [target] + recentPicks.filter { $0 != target }.prefix(19)
  }
}

private struct PaletteStateKey: EnvironmentKey {
  static let defaultValue = PaletteState()
}

extension EnvironmentValues {
  var paletteState: PaletteState {
    get { self[PaletteStateKey.self] }
    set { self[PaletteStateKey.self] = newValue }
  }
}
