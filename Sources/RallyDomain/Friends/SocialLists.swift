import FoundationEssentials
import RallyText
import RallyWire

/// The friends and requests as a value: as the server sent them, or with changes applied.
struct SocialLists: Hashable, Sendable {
  /// Sorted by name, ignoring case.
  var friends: [CommunityProfile] = []
  /// Newest first.
  var incoming: [FriendRequestItem] = []
  var outgoing: [FriendRequestItem] = []
  /// Who asks whom where they are.
  var asks = LocationAsks()

  init() {}

  init(
    friends: [CommunityProfile], incoming: [FriendRequestItem], outgoing: [FriendRequestItem],
    asks: LocationAsks = LocationAsks()
  ) {
    self.asks = asks
    self.friends = Self.sorted(friends)
    self.incoming = incoming
    self.outgoing = outgoing
  }

  /// Takes the change that an intent makes.
  ///
  /// - Parameter online: Who is there; nil while that is not known.
  mutating func apply(_ change: SocialChange, at time: WireTime, online: Set<UUID>? = nil) {
    switch change {
    case .requested(let person):
      guard !friends.contains(where: { $0.id == person.id }),
        !outgoing.contains(where: { $0.id == person.id })
      else { return }
      var asked = person
      asked.friendshipStatus = .outgoing
      outgoing.insert(
        FriendRequestItem(profile: asked, direction: .outgoing, createdAt: time), at: 0)
    case .accepted(let id):
      guard let item = incoming.first(where: { $0.id == id }) else { return }
      incoming.removeAll { $0.id == id }
      var friend = item.profile
      friend.friendshipStatus = .friends
      friend.since = time
      removeFriend(id)
      insert(friend, online: online)
    case .declined(let id): incoming.removeAll { $0.id == id }
    case .cancelled(let id): outgoing.removeAll { $0.id == id }
    case .unfriended(let id):
      removeFriend(id)
      asks.remove(id)
    case .blocked(let id):
      removeFriend(id)
      asks.remove(id)
      incoming.removeAll { $0.id == id }
      outgoing.removeAll { $0.id == id }
    case .unblocked: break
    case .askedLocation(let id):
      if !asks.isPaused(id, at: time) { asks.outgoing[id] = time }
    case .closedLocationAsk(let id): asks.incoming[id] = nil
    }
  }

  /// Takes what somebody is to me.
  ///
  /// - Parameter online: Who is there; nil while that is not known.
  mutating func apply(_ news: FriendshipNews, online: Set<UUID>? = nil) {
    let id = news.userID
    incoming.removeAll { $0.id == id }
    outgoing.removeAll { $0.id == id }
    let known = removeFriend(id)
    guard var friend = news.friend else {
      asks.remove(id)
      guard let request = news.request else { return }
      switch request.direction {
      case .incoming: incoming.insert(request, at: incoming.place(of: request))
      case .outgoing: outgoing.insert(request, at: outgoing.place(of: request))
      }
      return
    }
    if let known { friend.presence = known.presence }
    insert(friend, online: online)
  }

  @discardableResult
  private mutating func removeFriend(_ id: UUID) -> CommunityProfile? {
    // By index: a friend that is handed over is copied.
    friends.indices.first { friends[$0].id == id }.map { friends.remove(at: $0) }
  }

  private mutating func insert(_ friend: CommunityProfile, online: Set<UUID>?) {
    var friend = friend
    if let online { friend.presence = online.contains(friend.id) ? .online : .offline }
    friends.insert(friend, at: friends.firstPlace { !Self.isBefore(friend, $0) })
  }

  /// - Parameter changed: Of whom; nil for all.
  mutating func setPresence(online: Set<UUID>, of changed: Set<UUID>? = nil) {
    let places = if let changed { places(of: changed) } else { Array(friends.indices) }
    for index in places {
      let presence: Presence = online.contains(friends[index].id) ? .online : .offline
      // A write copies the whole list.
      if friends[index].presence != presence { friends[index].presence = presence }
    }
  }

  /// Sets `lastSeen` of people who went offline.
  mutating func markSeen(_ gone: Set<UUID>, at time: WireTime) {
    for index in places(of: gone) {
      friends[index].presence = .offline
      friends[index].lastSeen = time
    }
  }

  private func places(of people: Set<UUID>) -> [Int] {
    if people.isEmpty { return [] }
    // To hash thousands takes longer than to look for a few.
    guard people.count > 8 else {
      return people.compactMap { id in friends.indices.first { friends[$0].id == id } }
    }
    return friends.indices.filter { people.contains(friends[$0].id) }
  }

  /// Search results with my relationship to each person by these lists.
  func withStatus(_ people: [CommunityProfile]) -> [CommunityProfile] {
    if people.isEmpty { return [] }
    let ids = Set(people.map(\.id))
    let friendIDs = Set(friends.indices.lazy.map { friends[$0].id }.filter(ids.contains))
    let incomingIDs = Set(incoming.map(\.id))
    let outgoingIDs = Set(outgoing.map(\.id))
    return people.map { person in
      var person = person
      if friendIDs.contains(person.id) {
        person.friendshipStatus = .friends
      } else if incomingIDs.contains(person.id) {
        person.friendshipStatus = .incoming
      } else if outgoingIDs.contains(person.id) {
        person.friendshipStatus = .outgoing
      } else if person.friendshipStatus != .blocked {
        person.friendshipStatus = FriendshipStatus.none
      }
      return person
    }
  }

  /// As `isBefore`, but each name is folded once: of thousands that takes most of the time.
  private static func sorted(_ friends: [CommunityProfile]) -> [CommunityProfile] {
    let names = friends.indices.map { friends[$0].displayName.lowercased() }
    let order = friends.indices.sorted {
      names[$0] == names[$1]
        ? friends[$0].username < friends[$1].username : names[$0] < names[$1]
    }
    return order.map { friends[$0] }
  }

  private static func isBefore(_ a: CommunityProfile, _ b: CommunityProfile) -> Bool {
    let (first, second) = (a.displayName.lowercased(), b.displayName.lowercased())
    return first == second ? a.username < b.username : first < second
  }
}

extension [FriendRequestItem] {
  /// Where a request stands, the newest first.
  fileprivate func place(of request: FriendRequestItem) -> Int {
    firstIndex {
      ($0.createdAt, request.id.wireText) < (request.createdAt, $0.id.wireText)
    } ?? endIndex
  }
}

extension SocialLists: Codable {
  private enum CodingKeys: CodingKey {
    /// As `PackedProfiles`.
    case friends
    case incoming, outgoing, asks
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    friends = try PackedProfiles.unpack(values.decode(Data.self, forKey: .friends))
    incoming = try values.decode([FriendRequestItem].self, forKey: .incoming)
    outgoing = try values.decode([FriendRequestItem].self, forKey: .outgoing)
    asks = try values.decode(LocationAsks.self, forKey: .asks)
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(PackedProfiles.pack(friends), forKey: .friends)
    try values.encode(incoming, forKey: .incoming)
    try values.encode(outgoing, forKey: .outgoing)
    try values.encode(asks, forKey: .asks)
  }
}

/// The change that one intent makes to the lists.
enum SocialChange: Hashable, Sendable {
  case requested(CommunityProfile)
  case accepted(UUID)
  case declined(UUID)
  case cancelled(UUID)
  case unfriended(UUID)
  case blocked(UUID)
  case unblocked(UUID)
  case askedLocation(UUID)
  case closedLocationAsk(UUID)

  /// My relationship to the person after it.
  var statusAfter: FriendshipStatus {
    switch self {
    case .requested: .outgoing
    case .accepted, .askedLocation, .closedLocationAsk: .friends
    case .declined, .cancelled, .unfriended, .unblocked: FriendshipStatus.none
    case .blocked: .blocked
    }
  }
}

/// The cached data for the first frame.
struct SocialSnapshot: StoreSnapshot {
  static let name = "social"

  var lists: SocialLists
  var profile: CommunityProfile?
  /// When the lists were fetched.
  var asOf: WireTime
}

/// What is found in lists of thousands without sets of all of them.
extension Array {
  /// Whether both are one and the same list in memory, which is known without a look at thousands of
  /// elements. Two lists that are not may still be equal.
  package func sharesMemory(with other: [Element]) -> Bool {
    span.isIdentical(to: other.span)
  }

  /// The places at which a list differs from an earlier one. Who moved is in both: without them the two
  /// lists are the same.
  ///
  /// - Parameter isSame: Whether the elements at a place of the earlier list and at one of this
  ///   list are the same. An element that is handed over is copied.
  func change(
    from old: [Element], isSame: (Int, Int) -> Bool
  ) -> (old: [Int], new: [Int]) {
    let most = Swift.min(count, old.count)
    var end = 0
    while end < most, isSame(old.count - 1 - end, count - 1 - end) { end += 1 }
    let (oldEnd, newEnd) = (old.count - end, count - end)
    var (gone, came): ([Int], [Int]) = ([], [])
    var (before, after) = (0, 0)
    while before < oldEnd, after < newEnd {
      if isSame(before, after) {
        (before, after) = (before + 1, after + 1)
      } else if before + 1 < oldEnd, isSame(before + 1, after) {
        gone.append(before)
        before += 1
      } else if after + 1 < newEnd, isSame(before, after + 1) {
        came.append(after)
        after += 1
      } else {
        gone.append(before)
        came.append(after)
        (before, after) = (before + 1, after + 1)
      }
    }
    return (gone + (before..<oldEnd), came + (after..<newEnd))
  }
}
