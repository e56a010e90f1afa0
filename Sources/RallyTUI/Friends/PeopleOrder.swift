import FoundationEssentials
import Observation
import RallyDomain
import RallyEnvironment
import RallySystem
import RallyWire

/// How the list of friends is sorted, in the order in which the key goes through them.
enum PeopleOrder: String, Hashable, CaseIterable {
  /// In groups: who waits for an answer, who is online, everybody else by name.
  case requests
  case name, near, lastSeen

  /// What is said when it is chosen.
  var sentence: String {
    switch self {
    case .requests: "Requests first, then who is online."
    case .name: "Sorted by name."
    case .near: "Sorted by distance, the nearest first."
    case .lastSeen: "Sorted by last seen, the latest first."
    }
  }

  /// The heading above all friends; nil for groups.
  var heading: String? {
    switch self {
    case .requests: nil
    case .name: "Friends by name"
    case .near: "Friends, the nearest first"
    case .lastSeen: "Friends, last seen first"
    }
  }

  /// The next one; without a position of mine nobody is near.
  func next(hasPosition: Bool) -> PeopleOrder {
    let all = Self.allCases.filter { hasPosition || $0 != .near }
    return all.element(after: self) ?? .requests
  }

  /// The numbers of friends in this order.
  ///
  /// - Parameters:
  ///   - friends: By name.
  ///   - nearest: Those with a known distance, the nearest first; the others follow by name.
  func numbers(of friends: [CommunityProfile], nearest: [UUID]) -> [Int32] {
    let all = friends.indices.map(Int32.init)
    switch self {
    case .requests, .name: return all
    case .near:
      let ranks = Dictionary(nearest.enumerated().map { ($1, $0) }) { first, _ in first }
      func rank(_ number: Int32) -> (Int, Int32) {
        (ranks[friends[Int(number)].id] ?? .max, number)
      }
      return all.sorted { rank($0) < rank($1) }
    case .lastSeen:
      // Who was seen at the same time stays sorted by name.
      return all.sorted { (Self.seen(friends[Int($0)]), $1) > (Self.seen(friends[Int($1)]), $0) }
    }
  }

  /// Microseconds since 1970; who is online is seen now.
  private static func seen(_ friend: CommunityProfile) -> Int64 {
    friend.isOnline ? .max : friend.lastSeen?.microseconds ?? .min
  }
}

/// The friends of a list in an order, remembered until the list, the order or the distances change.
final class OrderedFriends {
  private struct Key: Equatable {
    var order: PeopleOrder
    var revision: Int
    var nearest: [UUID]
  }

  private var key: Key?
  private var numbers: [Int32] = []

  /// - Parameters:
  ///   - revision: Changes with `friends`.
  ///   - shown: The numbers that a filter leaves; nil for all.
  func numbers(
    of friends: [CommunityProfile], revision: Int, order: PeopleOrder, nearest: [UUID],
    shown: [Int32]?
  ) -> [Int32] {
    let key = Key(order: order, revision: revision, nearest: nearest)
    if key != self.key {
      self.key = key
      numbers = order.numbers(of: friends, nearest: nearest)
    }
    guard let shown else { return numbers }
    let isShown = Set(shown)
    return numbers.filter(isShown.contains)
  }
}

/// How this person looks at the lists of friends, also after another account signed in.
@Observable
final class FriendsViewState {
  /// How the list of friends is sorted.
  var order = PeopleOrder.requests
}

private struct FriendsViewStateKey: EnvironmentKey {
  static let defaultValue = FriendsViewState()
}

extension EnvironmentValues {
  var friendsViewState: FriendsViewState {
    get { self[FriendsViewStateKey.self] }
    set { self[FriendsViewStateKey.self] = newValue }
  }
}
