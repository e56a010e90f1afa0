import Foundation
import Logging
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
    AsyncStream { $0.finish() }
  }

  /// Leaves the channels; others see me as offline, and nothing more arrives.
  public func leave() async {}
}

/// What the friendship and presence channels say.
public enum FriendsRealtimeEvent: Hashable, Sendable {
  /// From now on changes arrive; what happened before must be fetched (first join, and after
  /// every gap).
  case live
  /// The connection is gone: changes may be missed until the next `live`.
  case interrupted
  /// A friendship row of mine changed; a hint to fetch the lists again.
  case friendshipsChanged
  /// Everybody of my friends who is online now.
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
