import FoundationEssentials
import Logging
import RallyWire

/// Changes of my friendships and of questions where somebody is, and the presence of my friends, as
/// they happen.
public final class FriendsRealtimeService: Sendable {
  public static let shared = FriendsRealtimeService(client: .shared)

  private let client: SupabaseClient
  private let log = RallyLog.logger("FriendsRealtime")

  public init(client: SupabaseClient) { self.client = client }

  /// Joins the channels of friendships and presence, and shows me as online.
  ///
  /// The channels stay joined, over every reconnect, until `leave`; a second `listen` takes the
  /// events over from the first.
  ///
  /// - Throws: `NetworkError.notConfigured` or `.signedOut`.
  public func listen() async throws -> AsyncStream<RealtimeUpdate<FriendsChange>> {
    let connection = try client.configured()
    guard let session = await connection.keeper.current() else { throw NetworkError.signedOut }
    let userID = session.user.id
    let realtime = connection.realtime
    log.info("subscribe — channels: friendships, presence")
    let friendships = await realtime.join(
      RealtimeTopic.friendships,
      ChannelConfiguration(changes: [
        ChangeBinding(table: FriendshipRecord.table), ChangeBinding(table: LocationAskRecord.table),
      ]))
    let presence = await realtime.join(
      RealtimeTopic.presence,
      ChannelConfiguration(presence: .init(key: userID.wireText)))
    return AsyncStream { continuation in
      let task = Task {
        await withTaskGroup { group in
          group.addTask { await Self.forward(friendships, to: continuation) }
          group.addTask { await Self.forward(presence, of: userID, to: continuation) }
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Leaves the channels; others see me as offline, and nothing more arrives.
  public func leave() async {
    guard let realtime = client.realtime else { return }
    log.info("leave — channels: friendships, presence")
    await realtime.leave(RealtimeTopic.friendships)
    await realtime.leave(RealtimeTopic.presence)
  }

  private static func forward(
    _ events: AsyncStream<ChannelEvent>,
    to listener: AsyncStream<RealtimeUpdate<FriendsChange>>.Continuation
  ) async {
    for await event in events {
      switch event {
      case .live: listener.yield(.live)
      case .gap: listener.yield(.interrupted)
      case .change: listener.yield(.changed(.friendships))
      case .presenceState, .presenceDiff: break
      }
    }
  }

  private static func forward(
    _ events: AsyncStream<ChannelEvent>, of userID: UUID,
    to listener: AsyncStream<RealtimeUpdate<FriendsChange>>.Continuation
  ) async {
    var roster = PresenceState()
    for await event in events {
      switch event {
      case .presenceState(let state): roster.replace(with: state)
      case .presenceDiff(let difference): roster.apply(difference)
      case .gap:
        roster = PresenceState()
        continue
      case .live, .change: continue
      }
      listener.yield(.changed(.presence(online: roster.online.subtracting([userID]))))
    }
  }
}

/// A change of my friendships or of the presence of my friends.
public enum FriendsChange: Hashable, Sendable {
  /// A friendship or a question of mine changed; a hint to fetch the lists again.
  case friendships
  /// All my friends who are online now.
  case presence(online: Set<UUID>)
}
