import Foundation
import Logging
import RallyEnvironment
import RallyWire

/// Changes of missions, of who is in them, and of what happens there, as they come.
public final class MissionActivityRealtimeService: Sendable {
  public static let shared = MissionActivityRealtimeService(client: .shared)

  private let client: SupabaseClient
  private let log = RallyLog.logger("MissionActivityRealtime")

  public init(client: SupabaseClient) { self.client = client }

  /// Joins the channel of missions.
  ///
  /// It stays joined, over every reconnect, until `leave`; a second `listen` takes the events
  /// over from the first.
  ///
  /// - Throws: `NetworkError.notConfigured` or `.signedOut`.
  public func listen() async throws -> AsyncStream<MissionActivityRealtimeEvent> {
    log.info("subscribe — channel: missions")
    let tables = [
      MissionRecord.table, MissionMemberRecord.table, MissionActivityRecord.table,
    ]
    return try await client.joinChannel(RealtimeTopic.missions) { _ in
      ChannelConfiguration(changes: tables.map { ChangeBinding(table: $0) })
    }.compactMapped(MissionActivityRealtimeEvent.init)
  }

  /// Leaves the channel; nothing more arrives.
  public func leave() async {
    log.info("leave — channel: missions")
    await client.leaveChannel(RealtimeTopic.missions)
  }
}

/// An event of the mission channel; every change is a hint to fetch again.
public enum MissionActivityRealtimeEvent: Hashable, Sendable {
  /// From now on changes arrive; what happened before must be fetched (first join, and after
  /// every gap).
  case live
  /// The connection is gone: changes may be missed until the next `live`.
  case interrupted
  /// A mission, or who is in it, changed; nil if the event does not say which one.
  case changed(missionID: UUID?)
  /// A mission has a new line: the line itself if it is a message.
  case activity(missionID: UUID, said: MissionActivityRecord? = nil)

  init?(_ event: ChannelEvent) {
    switch event {
    case .live: self = .live
    case .gap: self = .interrupted
    case .presenceState, .presenceDiff: return nil
    case .change(let change):
      let row = change.type == .delete ? change.oldRecord : change.record
      let key = change.table == MissionRecord.table ? "id" : "mission_id"
      let missionID = (row?[key]?.string).flatMap(UUID.init(uuidString:))
      if change.table == MissionActivityRecord.table, let missionID {
        let line = row.flatMap {
          try? JSONValue.object($0).decoded(as: MissionActivityRecord.self)
        }
        self = .activity(missionID: missionID, said: line?.kind == .said ? line : nil)
      } else {
        self = .changed(missionID: missionID)
      }
    }
  }
}

private struct MissionActivityRealtimeServiceKey: EnvironmentKey {
  static var defaultValue: MissionActivityRealtimeService { .shared }
}

extension EnvironmentValues {
  public var missionActivityRealtimeService: MissionActivityRealtimeService {
    get { self[MissionActivityRealtimeServiceKey.self] }
    set { self[MissionActivityRealtimeServiceKey.self] = newValue }
  }
}
