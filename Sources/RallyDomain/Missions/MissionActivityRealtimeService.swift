import FoundationEssentials
import Logging
import RallyText
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
  public func listen() async throws -> AsyncStream<RealtimeUpdate<MissionChange>> {
    log.info("subscribe — channel: missions")
    let tables = [
      MissionRecord.table, MissionMemberRecord.table, MissionActivityRecord.table,
    ]
    return try await client.joinChannel(RealtimeTopic.missions) { _ in
      ChannelConfiguration(changes: tables.map { ChangeBinding(table: $0) })
    }.events(MissionChange.init)
  }

  /// Leaves the channel; nothing more arrives.
  public func leave() async {
    log.info("leave — channel: missions")
    await client.leaveChannel(RealtimeTopic.missions)
  }
}

/// A change of a mission; a hint to fetch again.
public enum MissionChange: Hashable, Sendable {
  /// A mission, or who is in it; nil if the event does not say which one.
  case mission(UUID?)
  /// A mission has a new line: the line itself if it is a message.
  case activity(missionID: UUID, said: MissionActivityRecord? = nil)

  init(_ change: ChangeEvent) {
    let row = change.type == .delete ? change.oldRecord : change.record
    let key = change.table == MissionRecord.table ? "id" : "mission_id"
    let missionID = (row?[key]?.string).flatMap(UUID.init(wireText:))
    guard change.table == MissionActivityRecord.table, let missionID else {
      self = .mission(missionID)
      return
    }
    let line = row.flatMap {
      try? JSONValue.object($0).decoded(as: MissionActivityRecord.self)
    }
    self = .activity(missionID: missionID, said: line?.kind == .said ? line : nil)
  }
}
