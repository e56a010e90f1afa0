import FoundationEssentials
import RallyWire

/// Friends' questions where I am, and mine to friends: by friend, with the time of the question.
public struct LocationAsks: Hashable, Sendable, Codable {
  /// Those that wait for my answer.
  public internal(set) var incoming: [UUID: WireTime] = [:]
  /// Those that I asked, whatever became of them.
  public internal(set) var outgoing: [UUID: WireTime] = [:]

  init() {}

  public init(_ rows: [LocationAskRecord]) {
    for row in rows {
      switch row.direction {
      case .incoming: incoming[row.userID] = row.askedAt
      case .outgoing: outgoing[row.userID] = row.askedAt
      }
    }
  }

  /// The friends who wait for my answer, who asked last first.
  public var askers: [UUID] {
    incoming.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
  }

  /// Whether asking this friend again changes nothing yet.
  public func isPaused(_ friend: UUID, at now: WireTime) -> Bool {
    outgoing[friend]?.isRecent(within: LocationAskRecord.pause, at: now) ?? false
  }

  /// Removes the questions of an earlier run that are too old, or ahead of the clock.
  mutating func dropEnded(at now: WireTime) {
    func counts(_ time: WireTime) -> Bool {
      time.isRecent(within: LocationAskRecord.lifetime, at: now)
    }
    incoming = incoming.filter { counts($0.value) }
    outgoing = outgoing.filter { counts($0.value) }
  }

  /// Notes a question, or its end for nil.
  mutating func set(_ time: WireTime?, of friend: UUID, _ direction: RequestDirection) {
    switch direction {
    case .incoming: incoming[friend] = time
    case .outgoing: outgoing[friend] = time
    }
  }

  mutating func remove(_ friend: UUID) {
    incoming[friend] = nil
    outgoing[friend] = nil
  }
}

/// When friends' questions and mine end, by a clock that nobody sets.
///
/// The server says when each was asked. On a machine whose clock is ahead a question would be over
/// before it was read, and after the clock was put back it would wait for hours.
struct AskEnds {
  private struct Question: Hashable {
    var friend: UUID
    var direction: RequestDirection
    var askedAt: WireTime
  }

  /// By `WireTime.steady`; those that are over too, as long as the lists have them.
  private var ends: [Question: WireTime] = [:]

  /// Removes the questions that are over.
  ///
  /// - Parameters:
  ///   - now: The wall clock, which dates a question that was not seen before.
  ///   - steady: The clock that nobody sets.
  /// - Returns: When the next one ends by that clock; nil without any.
  mutating func drop(
    from asks: inout LocationAsks, at now: WireTime, steady: WireTime
  ) -> WireTime? {
    let known = ends
    ends = [:]
    func isOpen(_ direction: RequestDirection, _ friend: UUID, _ askedAt: WireTime) -> Bool {
      let question = Question(friend: friend, direction: direction, askedAt: askedAt)
      let end =
        known[question]
        ?? steady.advanced(by: LocationAskRecord.lifetime - LocationAsks.age(of: askedAt, at: now))
      ends[question] = end
      return steady < end
    }
    asks.incoming = asks.incoming.filter { isOpen(.incoming, $0.key, $0.value) }
    asks.outgoing = asks.outgoing.filter { isOpen(.outgoing, $0.key, $0.value) }
    return ends.values.filter { steady < $0 }.min()
  }
}

extension LocationAsks {
  /// How long ago the server was asked. It sends no question that is over, so another age is that of
  /// a wrong clock, and says nothing.
  fileprivate static func age(of askedAt: WireTime, at now: WireTime) -> Duration {
    let age = now.since(askedAt)
    return (.zero..<LocationAskRecord.lifetime).contains(age) ? age : .zero
  }
}

// MARK: - Asking Where Somebody Is

extension SocialStore {
  /// Asks a friend where they are.
  ///
  /// - What: The friend may answer with a share; that, and nothing else, shows here.
  /// - How: The question shows at once, and is taken back if the server refuses.
  /// - Why: Whoever does not answer must not have to explain why.
  /// - Service Calls: `FriendsService.askLocation`
  /// - Parameter friend: Who is asked.
  @discardableResult
  public func askLocation(of friend: CommunityProfile) async -> IntentOutcome<FriendshipStatus> {
    await sendIntent(
      friend.id, as: .askedLocation(friend.id), source: "askLocation",
      failureTitle: "\(friend.displayName) was not asked"
    ) { try await $0.askLocation(of: friend.id, clientID: $1) }
  }

  /// Asks several friends where they are, one after the other.
  ///
  /// - What: As if each were asked alone, but no failure is presented.
  /// - How: `askLocation` for one after the other; a failure does not hold up the rest.
  /// - Why: A person who asks many wants one report, not one for each.
  /// - Service Calls: `FriendsService.askLocation`
  public func askLocations(of friends: [CommunityProfile]) async -> BulkOutcome<CommunityProfile> {
    await BulkOutcome(friends) { await self.askLocation(of: $0) }
  }

  /// Closes a friend's question where I am; the friend does not learn of it.
  ///
  /// - What: The question waits no more, here and on my other terminals.
  /// - How: It leaves at once, and comes back if the server refuses.
  /// - Why: Not answering is an answer that costs one key.
  /// - Service Calls: `FriendsService.closeLocationAsk`
  /// - Parameter friendID: Who asked.
  @discardableResult
  public func closeLocationAsk(of friendID: UUID) async -> IntentOutcome<FriendshipStatus> {
    await sendIntent(
      friendID, as: .closedLocationAsk(friendID), source: "closeLocationAsk",
      failureTitle: "The question was not dismissed"
    ) { try await $0.closeLocationAsk(of: friendID, clientID: $1) }
  }
}
