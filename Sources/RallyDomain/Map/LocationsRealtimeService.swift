import Foundation
import Logging
import RallyEnvironment
import RallyWire

/// Positions of my friends as they change.
public final class LocationsRealtimeService: Sendable {
  public static let shared = LocationsRealtimeService(client: .shared)

  private let client: SupabaseClient
  private let log = RallyLog.logger("LocationsRealtime")

  public init(client: SupabaseClient) { self.client = client }

  /// Joins the channel of positions.
  ///
  /// It stays joined, over every reconnect, until `leave`; a second `listen` takes the events
  /// over from the first.
  ///
  /// - Throws: `NetworkError.notConfigured` or `.signedOut`.
  public func listen() async throws -> AsyncStream<LocationsRealtimeEvent> {
    log.info("subscribe — channel: locations")
    return try await client.joinChannel(RealtimeTopic.locations) { _ in
      ChannelConfiguration(changes: [ChangeBinding(table: LocationRecord.table)])
    }.compactMapped(LocationsRealtimeEvent.init)
  }

  /// Leaves the channel; nothing more arrives.
  public func leave() async {
    log.info("leave — channel: locations")
    await client.leaveChannel(RealtimeTopic.locations)
  }
}

/// An event of the position channel.
public enum LocationsRealtimeEvent: Hashable, Sendable {
  /// From now on changes arrive; what happened before must be fetched (first join, and after
  /// every gap).
  case live
  /// The connection is gone: changes may be missed until the next `live`.
  case interrupted
  /// A position as I see it now; my own is among them.
  case changed(LocationRecord)
  /// This user's position is no longer visible to me.
  case removed(UUID)
  /// A change that cannot be decoded; the positions must be fetched.
  case unknown

  fileprivate init?(_ event: ChannelEvent) {
    switch event {
    case .live: self = .live
    case .gap: self = .interrupted
    case .presenceState, .presenceDiff: return nil
    case .change(let change):
      if change.type == .delete {
        guard let text = change.oldRecord?["user_id"]?.string, let id = UUID(uuidString: text)
        else {
          self = .unknown
          return
        }
        self = .removed(id)
      } else if let location = change.record.flatMap({
        try? JSONValue.object($0).decoded(as: LocationRecord.self)
      }) {
        self = .changed(location)
      } else {
        self = .unknown
      }
    }
  }
}

private struct LocationsRealtimeServiceKey: EnvironmentKey {
  static var defaultValue: LocationsRealtimeService { .shared }
}

extension EnvironmentValues {
  public var locationsRealtimeService: LocationsRealtimeService {
    get { self[LocationsRealtimeServiceKey.self] }
    set { self[LocationsRealtimeServiceKey.self] = newValue }
  }
}
