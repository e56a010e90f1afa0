import FoundationEssentials
import Logging
import RallyClient
import RallySystem
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
    // Who is in a mission comes with the mission.
    return try await client.joinChannel(RealtimeTopic.missions) { _ in
      ChannelConfiguration(changes: [
        ChangeBinding(table: MissionRecord.table, embed: true),
        ChangeBinding(table: MissionActivityRecord.table),
      ])
    }.events(MissionChange.init)
  }

  /// Leaves the channel; nothing more arrives.
  public func leave() async {
    log.info("leave — channel: missions")
    await client.leaveChannel(RealtimeTopic.missions)
  }
}

/// A change of a mission, of who is in it or of what happens there.
public enum MissionChange: Hashable, Sendable {
  /// A mission as I see it now, with who is on the way to it, and when it was changed.
  case mission(EmbeddedMission, at: WireTime?)
  /// I do not see this mission any more since then.
  case removed(UUID, at: WireTime?)
  /// A new line.
  case activity(MissionActivityRecord)
  /// Something changed that the event does not say: the missions must be fetched.
  case unknown

  init(_ change: ChangeEvent) {
    switch (change.table, change.type) {
    case (MissionActivityRecord.table, .insert):
      let line = change.record.flatMap {
        try? JSONValue.object($0).decoded(as: MissionActivityRecord.self)
      }
      self = line.map(Self.activity) ?? .unknown
    case (MissionRecord.table, .delete):
      let id = (change.oldRecord?["id"]?.string).flatMap(UUID.init(wireText:))
      self = id.map { .removed($0, at: WireTime(change.commitTimestamp)) } ?? .unknown
    case (MissionRecord.table, _):
      let mission = try? change.embedded?.decoded(as: EmbeddedMission.self)
      self = mission.map { .mission($0, at: WireTime(change.commitTimestamp)) } ?? .unknown
    default: self = .unknown
    }
  }
}
