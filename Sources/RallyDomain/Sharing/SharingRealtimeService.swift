import Foundation
import Logging
import RallyWire

/// Changes of my own decisions about sharing, and of my own position, made by any client of mine.
public final class SharingRealtimeService: Sendable {
  public static let shared = SharingRealtimeService(client: .shared)

  private let client: SupabaseClient
  private let log = RallyLog.logger("SharingRealtime")

  public init(client: SupabaseClient) { self.client = client }

  /// Joins the channel of what is shared.
  ///
  /// It stays joined, over every reconnect, until `leave`; a second `listen` takes the events
  /// over from the first.
  ///
  /// - Throws: `NetworkError.notConfigured` or `.signedOut`.
  public func listen() async throws -> AsyncStream<SharingRealtimeEvent> {
    let connection = try client.configured()
    guard let session = await connection.keeper.current() else { throw NetworkError.signedOut }
    log.info("subscribe — channel: sharing")
    let events = await connection.realtime.join(
      RealtimeTopic.sharing,
      ChannelConfiguration(changes: [
        ChangeBinding(table: LocationSharingRecord.table),
        ChangeBinding(
          table: LocationRecord.table, filter: "user_id=eq.\(session.user.id.wireText)"),
      ]))
    return AsyncStream { continuation in
      let task = Task {
        for await event in events {
          if let event = SharingRealtimeEvent(event) { continuation.yield(event) }
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Leaves the channel; nothing more arrives.
  public func leave() async {
    guard let realtime = client.realtime else { return }
    log.info("leave — channel: sharing")
    await realtime.leave(RealtimeTopic.sharing)
  }
}

/// What the channel of what is shared says.
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
      if change.table == LocationRecord.table, let record = change.record,
        let data = try? WireJSON.encode(JSONValue.object(record)),
        let location = try? WireJSON.decode(LocationRecord.self, from: data)
      {
        self = .position(location)
      } else {
        self = .changed
      }
    }
  }
}
