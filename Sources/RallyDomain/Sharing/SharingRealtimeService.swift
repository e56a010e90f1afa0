import Logging
import RallyClient
import RallySystem
import RallyText
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
  public func listen() async throws -> AsyncStream<RealtimeUpdate<SharingNotice>> {
    log.info("subscribe — channel: sharing")
    return try await client.joinChannel(RealtimeTopic.sharing) { userID in
      ChannelConfiguration(changes: [
        ChangeBinding(table: LocationSharingRecord.table),
        ChangeBinding(table: LocationRecord.table, filter: "user_id=eq.\(userID.wireText)"),
      ])
    }.events(SharingNotice.init)
  }

  /// Leaves the channel; nothing more arrives.
  public func leave() async {
    log.info("leave — channel: sharing")
    await client.leaveChannel(RealtimeTopic.sharing)
  }
}

/// A change of my sharing, made by any client of mine.
public enum SharingNotice: Hashable, Sendable {
  /// My position as the server has it now.
  case position(LocationRecord)
  /// Something else changed; a hint to fetch the sharing again.
  case settings

  init(_ change: ChangeEvent) {
    let isPosition = change.table == LocationRecord.table
    let record = (isPosition ? change.record : nil).flatMap {
      try? JSONValue.object($0).decoded(as: LocationRecord.self)
    }
    self = record.map(Self.position) ?? .settings
  }
}
