import Foundation
import Logging
import RallyEnvironment
import RallyWire

/// Changes of my friendships and the presence of my friends, as they happen.
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
  public func listen() async throws -> AsyncStream<FriendsRealtimeEvent> {
    let connection = try client.configured()
    guard let session = await connection.keeper.current() else { throw NetworkError.signedOut }
    let userID = session.user.id
    let realtime = connection.realtime
    log.info("subscribe — channels: friendships, presence")
    let friendships = await realtime.join(
      RealtimeTopic.friendships,
      ChannelConfiguration(changes: [ChangeBinding(table: FriendshipRecord.table)]))
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
    to listener: AsyncStream<FriendsRealtimeEvent>.Continuation
  ) async {
    for await event in events {
      switch event {
      case .live: listener.yield(.live)
      case .gap: listener.yield(.interrupted)
      case .change: listener.yield(.friendshipsChanged)
      case .presenceState, .presenceDiff: break
      }
    }
  }

  private static func forward(
    _ events: AsyncStream<ChannelEvent>, of userID: UUID,
    to listener: AsyncStream<FriendsRealtimeEvent>.Continuation
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
      listener.yield(.presence(online: roster.online.subtracting([userID])))
    }
  }
}

/// An event of the friendship and presence channels.
public enum FriendsRealtimeEvent: Hashable, Sendable {
  /// From now on changes arrive; what happened before must be fetched (first join, and after
  /// every gap).
  case live
  /// The connection is gone: changes may be missed until the next `live`.
  case interrupted
  /// A friendship row of mine changed; a hint to fetch the lists again.
  case friendshipsChanged
  /// All my friends who are online now.
  case presence(online: Set<UUID>)
}

private struct FriendsRealtimeServiceKey: EnvironmentKey {
  static var defaultValue: FriendsRealtimeService { .shared }
}

extension EnvironmentValues {
  public var friendsRealtimeService: FriendsRealtimeService {
    get { self[FriendsRealtimeServiceKey.self] }
    set { self[FriendsRealtimeServiceKey.self] = newValue }
  }
}
