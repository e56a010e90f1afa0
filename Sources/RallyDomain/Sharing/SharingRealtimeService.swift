import Foundation
import Logging
import RallyWire

/// Changes of my own decisions about sharing, and of my own position, made by any client of mine.
public final class SharingRealtimeService: Sendable {
  public static let shared = SharingRealtimeService(client: .shared)

  private let client: SupabaseClient
  private let log = RallyLog.logger("SharingRealtime")

  public init(client: SupabaseClient) { self.client = client }

  /// Joins the sharing channel.
  ///
  /// It stays joined, over every reconnect, until `leave`; a second `listen` takes the events
  /// over from the first.
  ///
  /// - Throws: `NetworkError.notConfigured` or `.signedOut`.
  public func listen() async throws -> AsyncStream<SharingRealtimeEvent> {
    log.info("subscribe — channel: sharing")
    return try await client.joinChannel(RealtimeTopic.sharing) { userID in
      ChannelConfiguration(changes: [
        ChangeBinding(table: LocationSharingRecord.table),
        ChangeBinding(table: LocationRecord.table, filter: "user_id=eq.\(userID.wireText)"),
      ])
    }.compactMapped(SharingRealtimeEvent.init)
  }

  /// Leaves the channel; nothing more arrives.
  public func leave() async {
    log.info("leave — channel: sharing")
    await client.leaveChannel(RealtimeTopic.sharing)
  }
}

/// An event of the sharing channel.
public enum SharingRealtimeEvent: Hashable, Sendable {
  /// From now on changes arrive; what happened before must be fetched (first join, and after
  /// every gap).
  case live
  /// The connection is gone: changes may be missed until the next `live`.
  case interrupted
  /// My position as the server keeps it now.
  case position(LocationRecord)
  /// Something else changed; a hint to fetch what is shared again.
  case changed

  fileprivate init?(_ event: ChannelEvent) {
    switch event {
    case .live: self = .live
    case .gap: self = .interrupted
    case .presenceState, .presenceDiff: return nil
    case .change(let change):
      if change.table == LocationRecord.table,
        let location = change.record.flatMap({
          try? JSONValue.object($0).decoded(as: LocationRecord.self)
        })
      {
        self = .position(location)
      } else {
        self = .changed
      }
    }
  }
}
