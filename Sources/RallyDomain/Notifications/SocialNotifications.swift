import FoundationEssentials
import RallyClient
import RallySystem
import RallyWire

/// A snapshot of friends and requests, from which changes are derived.
@MainActor
struct SocialStatus: Equatable {
  var isKnown: Bool
  /// Whether the server said so to this program.
  var hasFetched: Bool
  /// The store's own list, which is another one only where somebody in it changed.
  var friends: [CommunityProfile]
  var incoming: [UUID: String]
  var outgoing: [UUID: String]
  /// Friends who ask where I am, with the time of the question.
  var asks: [UUID: WireTime]
  var inFlightIDs: Set<UUID>

  init(_ socialStore: SocialStore) {
    isKnown = socialStore.asOf != nil
    hasFetched = socialStore.hasFetched
    friends = socialStore.friends
    incoming = [:]
    outgoing = [:]
    for item in socialStore.incomingRequests { incoming[item.id] = item.profile.handle }
    for item in socialStore.outgoingRequests { outgoing[item.id] = item.profile.handle }
    asks = socialStore.locationAsks.incoming
    inFlightIDs = socialStore.inFlightProfileIDs
  }

  nonisolated static func == (one: SocialStatus, other: SocialStatus) -> Bool {
    one.isKnown == other.isKnown && one.hasFetched == other.hasFetched
      && one.incoming == other.incoming && one.outgoing == other.outgoing && one.asks == other.asks
      && one.inFlightIDs == other.inFlightIDs && one.friends.sharesMemory(with: other.friends)
  }

  func friend(_ id: UUID) -> CommunityProfile? {
    // By index: a friend that is handed over is copied.
    friends.indices.first { friends[$0].id == id }.map { friends[$0] }
  }
}

/// What others did between two snapshots, as sentences; my own actions are left out.
@MainActor
enum SocialNotifications {
  static func sentences(from old: SocialStatus, to new: SocialStatus) -> [String] {
    let (asking, accepted) = people(from: old, to: new)
    return sentences(
      asking, one: "\(FriendshipStatus.asksForFriendship).", many: "people want to be friends.")
      + sentences(accepted, one: "is a friend now.", many: "people are friends now.")
  }

  /// Who asks where I am.
  static func questions(from old: SocialStatus, to new: SocialStatus) -> [String] {
    sentences(
      askers(from: old, to: new), one: "asks where you are.", many: "friends ask where you are.")
  }

  /// Who shows more of where they are: `@ana shows you their city.` An end is not announced, since
  /// the server does not say it to the reader.
  ///
  /// - Parameter shown: What each of them shows now; of others than friends nothing is said.
  static func sentences(
    shown: [UUID: SharingMode], friends: [CommunityProfile]
  ) -> [String] {
    let named = named(shown, friends)
    guard named.count < 2 else { return ["\(named.count) friends show you where they are."] }
    return named.map { "@\($0.username) shows you \($0.mode.seenOfThem)." }
  }

  /// The same for somebody who looks elsewhere.
  static func events(
    shown: [UUID: SharingMode], friends: [CommunityProfile]
  ) -> [NotificationEvent] {
    named(shown, friends).map {
      NotificationEvent(.sharing, username: $0.username, text: $0.mode.seenOfThem)
    }
  }

  private static func named(
    _ shown: [UUID: SharingMode], _ friends: [CommunityProfile]
  ) -> [(username: String, mode: SharingMode)] {
    friends.compactMap { friend in shown[friend.id].map { (friend.username, $0) } }
  }

  /// What others did, for somebody who looks elsewhere.
  static func events(from old: SocialStatus, to new: SocialStatus) -> [NotificationEvent] {
    let (asking, accepted) = people(from: old, to: new)
    func events(_ kind: NotificationEvent.Kind, _ people: [UUID: String]) -> [NotificationEvent] {
      people.values.sorted().map {
        NotificationEvent(kind, username: Username.folded($0), isNew: old.hasFetched)
      }
    }
    return events(.request, asking) + events(.friendship, accepted)
      + events(.question, askers(from: old, to: new))
  }

  /// The handles of friends who asked where I am since.
  private static func askers(from old: SocialStatus, to new: SocialStatus) -> [UUID: String] {
    guard old.isKnown, new.isKnown else { return [:] }
    return new.asks.reduce(into: [:]) { askers, ask in
      if old.asks[ask.key] != ask.value { askers[ask.key] = new.friend(ask.key)?.handle }
    }
  }

  /// Usernames of new friends whom nobody here asked or was asked by: they may have come by a code.
  static func newcomers(from old: SocialStatus, to new: SocialStatus) -> Set<String> {
    guard old.isKnown, new.isKnown, new.friends.count > old.friends.count else { return [] }
    return Set(
      newFriends(from: old, to: new).filter {
        old.outgoing[$0.id] == nil && old.incoming[$0.id] == nil
          && !old.inFlightIDs.contains($0.id) && !new.inFlightIDs.contains($0.id)
      }.map(\.username))
  }

  /// Who is a friend now and was none before.
  private static func newFriends(
    from old: SocialStatus, to new: SocialStatus
  ) -> [CommunityProfile] {
    let (before, after) = new.friends.change(from: old.friends) {
      old.friends[$0].id == new.friends[$1].id
    }
    let known = Set(before.map { old.friends[$0].id })
    return after.compactMap { known.contains(new.friends[$0].id) ? nil : new.friends[$0] }
  }

  private static func people(
    from old: SocialStatus, to new: SocialStatus
  ) -> (asking: [UUID: String], accepted: [UUID: String]) {
    guard old.isKnown, new.isKnown else { return ([:], [:]) }
    let asking = new.incoming.filter { old.incoming[$0.key] == nil && old.friend($0.key) == nil }
    let added = old.outgoing.isEmpty ? [] : newFriends(from: old, to: new)
    let accepted = added.filter {
      old.outgoing[$0.id] != nil && !old.inFlightIDs.contains($0.id)
    }
    return (asking, Dictionary(uniqueKeysWithValues: accepted.map { ($0.id, $0.handle) }))
  }

  private static func sentences(_ people: [UUID: String], one: String, many: String) -> [String] {
    switch people.count {
    case 0: []
    case 1: people.values.map { "\($0) \(one)" }
    default: ["\(people.count) \(many)"]
    }
  }
}

extension SharingMode {
  /// What a friend shows me, after `shows you`.
  fileprivate var seenOfThem: String {
    switch self {
    case .off: "nothing"
    case .approximate10km: "their city"
    case .approximate1km: "the area they are in"
    case .precise: "exactly where they are"
    }
  }
}

/// How exactly each friend shows me where they are, as the server last said it.
struct ShownPositions: Equatable {
  /// Whether this program fetched it, as the friends, and it is not of an earlier run.
  var isFetched: Bool
  var modes: [UUID: SharingMode]

  @MainActor
  init(_ mapStore: MapStore, _ socialStore: SocialStore) {
    isFetched = mapStore.hasFetched && socialStore.hasFetched
    // The map has its positions of friends only once these were handed over to it.
    let records = mapStore.records
    modes = [:]
    let friends = records.isEmpty ? [] : socialStore.friends
    // By index: a friend that is handed over is copied.
    for index in friends.indices {
      let id = friends[index].id
      guard let record = records[id], record.coordinate != nil else { continue }
      modes[id] = record.precision
    }
  }

  init(isFetched: Bool, modes: [UUID: SharingMode]) {
    self.isFetched = isFetched
    self.modes = modes
  }
}

/// Notices friends who begin to show me more of where they are.
///
/// The end of a ghost, of a zone or of sharing hours looks to the reader like a new share. So what
/// a friend showed within the last day is not new, and keys in a row of the friend count as one.
@MainActor
final class NewlyShown {
  /// What a friend showed most exactly, and what they show now.
  private struct Memory {
    var most: SharingMode
    var present: SharingMode
    /// Since when they show less; nil while they show the most.
    var lessSince: WireTime?

    /// - Returns: Whether this is more than was shown within the last day.
    mutating func show(_ mode: SharingMode, at now: WireTime) -> Bool {
      if let since = lessSince, now.since(since) >= .seconds(86_400) {
        (most, lessSince) = (present, nil)
      }
      let isMore = mode > most
      lessSince = mode < most ? lessSince ?? now : nil
      most = max(most, mode)
      present = mode
      return isMore
    }
  }

  private let settling: Duration
  private let now: () -> WireTime
  private var settled: Task<Void, Never>?
  /// Nil before the first look, which finds nothing new.
  private var memories: [UUID: Memory]?

  /// - Parameters:
  ///   - settling: How long what is shown must stay as it is before it is announced.
  ///   - now: A clock that nobody sets.
  init(settling: Duration = .seconds(2), now: @escaping () -> WireTime = { .steady }) {
    self.settling = settling
    self.now = now
  }

  deinit { settled?.cancel() }

  /// - Parameter announce: Hears what each friend shows who shows more than before.
  func receive(
    _ shown: ShownPositions, announce: @escaping @MainActor ([UUID: SharingMode]) -> Void
  ) {
    guard shown.isFetched else { return }
    guard memories != nil else {
      _ = look(at: shown.modes)
      return
    }
    settled?.cancel()
    settled = Task { [weak self, settling] in
      guard (try? await DispatchSleep.for(settling)) != nil, let self else { return }
      let news = look(at: shown.modes)
      if !news.isEmpty { announce(news) }
    }
  }

  /// Friends who show more than before, with what they show; none at the first look.
  func look(at modes: [UUID: SharingMode]) -> [UUID: SharingMode] {
    let time = now()
    guard var memories else {
      memories = modes.mapValues { Memory(most: $0, present: $0) }
      return [:]
    }
    var news: [UUID: SharingMode] = [:]
    for id in Set(modes.keys).union(memories.keys) {
      let mode = modes[id] ?? .off
      if memories[id, default: Memory(most: .off, present: .off)].show(mode, at: time) {
        news[id] = mode
      }
    }
    self.memories = memories
    return news
  }
}
