import FoundationEssentials
import Logging
import RallyClient
import RallySystem
import RallyText
import RallyWire

/// Missions, the people in them, check-ins and what happened.
///
/// Every mutation carries a client id: repeating it with the same one has the effect of one call.
/// No position, no title and nothing that somebody said is ever logged.
public final class MissionsService: Sendable {
  public static let shared = MissionsService(client: .shared)

  private let client: ServiceClient
  private let log = RallyLog.logger("Missions")

  public init(client: SupabaseClient) { self.client = client.logging(by: log) }

  /// One mission as it is for me.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchMission(_ missionID: UUID) async throws -> Mission {
    log.info("fetchMission — mission: \(missionID.wireText)")
    return try await mission(client.call(FetchMission(missionID: missionID)))
  }

  /// Who is on the way to my missions, or arrived, as far as they show it to me; and I.
  ///
  /// - Returns: Nobody on a server without it.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchComing() async throws -> [ComingRecord] {
    do {
      return try await client.call(FetchComing())
    } catch NetworkError.refused(let failure, _) where failure.isUnknownFunction {
      return []
    } catch NetworkError.invalidResponse {
      // It is fetched beside the lists, and costs itself alone.
      log.error("fetchComing — not understood")
      return []
    }
  }

  /// A page of one list; rows with invalid coordinates are left out.
  ///
  /// - Parameters:
  ///   - centre: The centre of `.nearby`.
  ///   - radiusMetres: The radius of `.nearby`, in `FetchMissions.radii`.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchMissions(
    scope: MissionScope, around centre: Coordinate? = nil, radiusMetres: Double? = nil,
    limit: Int = Paging.defaultLimit, offset: Int = 0
  ) async throws -> Page<Mission> {
    log.info("fetchMissions — scope: \(scope.rawValue), limit: \(limit), offset: \(offset)")
    return try await client.page(
      FetchMissions(
        scope: scope, around: centre, radiusMetres: radiusMetres, limit: limit, offset: offset)
    ).converted(Mission.init)
  }

  /// All missions of one list.
  ///
  /// - Parameter limit: How many at most; nil for all.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchAllMissions(
    scope: MissionScope, around centre: Coordinate? = nil, radiusMetres: Double? = nil,
    limit: Int? = nil
  ) async throws -> [Mission] {
    try await Pages.all(limit: limit) {
      try await self.fetchMissions(
        scope: scope, around: centre, radiusMetres: radiusMetres, limit: Paging.maximumLimit,
        offset: $0)
    }
  }

  /// The lines of one mission, or of all that I am in; the newest first.
  ///
  /// Returns fewer than `limit` only at the end: after a response that was cut, or that has invalid
  /// lines, the rest is fetched.
  ///
  /// - Parameter before: Only older lines; nil for the newest.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchMissionActivity(
    missionID: UUID? = nil, before: WireTime? = nil, limit: Int = Paging.defaultLimit
  ) async throws -> [MissionActivityRecord] {
    log.info(
      """
      fetchMissionActivity — mission: \(missionID?.wireText ?? "all"), \
      older: \(before != nil), limit: \(limit)
      """)
    var lines: [MissionActivityRecord] = []
    while true {
      let asked = limit - lines.count
      let cursor = lines.last?.createdAt ?? before
      let page = try await client.page(
        FetchMissionActivity(missionID: missionID, before: cursor, limit: asked))
      let older = page.filter { line in cursor.map { line.createdAt < $0 } ?? true }
      lines += older
      let isLast = page.received < asked && page.isCutShort == false
      // Without an older line there is no cursor to continue from.
      if isLast || older.isEmpty || lines.count >= limit { return lines }
    }
  }

  /// - Throws: `NetworkError` or `CancellationError`.
  public func createMission(
    _ call: CreateMission, clientID: UUID = UUID()
  ) async throws -> Mission {
    log.info("createMission — objectives: \(call.objectives?.count ?? 0)")
    return try await mission(client.call(call, clientID: clientID))
  }

  /// - Throws: `NetworkError` or `CancellationError`.
  public func updateMission(
    _ call: UpdateMission, clientID: UUID = UUID()
  ) async throws -> Mission {
    log.info("updateMission — mission: \(call.missionID.wireText)")
    return try await mission(client.call(call, clientID: clientID))
  }

  /// Cancels a mission of mine for everybody.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func cancelMission(_ missionID: UUID, clientID: UUID = UUID()) async throws -> Mission {
    try await act("cancelMission", CancelMission(missionID: missionID), on: missionID, clientID)
  }

  /// Leaves out the current occurrence of a series of mine; the next one follows.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func skipOccurrence(_ missionID: UUID, clientID: UUID = UUID()) async throws -> Mission {
    try await act("skipOccurrence", SkipOccurrence(missionID: missionID), on: missionID, clientID)
  }

  /// Completes a mission of mine for everybody.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func completeMission(_ missionID: UUID, clientID: UUID = UUID()) async throws -> Mission {
    try await act("completeMission", CompleteMission(missionID: missionID), on: missionID, clientID)
  }

  /// Joins a mission, or accepts the invitation to it.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func joinMission(_ missionID: UUID, clientID: UUID = UUID()) async throws -> Mission {
    try await act("joinMission", JoinMission(missionID: missionID), on: missionID, clientID)
  }

  /// Leaves a mission, or declines the invitation to it.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func leaveMission(_ missionID: UUID, clientID: UUID = UUID()) async throws -> Mission {
    try await act("leaveMission", LeaveMission(missionID: missionID), on: missionID, clientID)
  }

  /// - Parameter userIDs: Friends of mine, at most `MissionRules.inviteLimit`.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func inviteToMission(
    _ missionID: UUID, userIDs: [UUID], clientID: UUID = UUID()
  ) async throws {
    log.info("inviteToMission — mission: \(missionID.wireText), count: \(userIDs.count)")
    _ = try await client.call(
      InviteToMission(missionID: missionID, userIDs: userIDs), clientID: clientID)
  }

  /// Checks in at an objective's place.
  ///
  /// - Parameter accuracyMetres: Nil counts as exact.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func checkIn(
    _ objectiveID: UUID, of missionID: UUID, at place: Coordinate, accuracyMetres: Double?,
    clientID: UUID = UUID()
  ) async throws -> Mission {
    log.info("checkIn — mission: \(missionID.wireText), objective: \(objectiveID.wireText)")
    return try await mission(
      client.call(
        CheckIn(
          missionID: missionID, objectiveID: objectiveID, at: place,
          accuracyMetres: accuracyMetres), clientID: clientID))
  }

  /// - Parameter text: As `MissionText.line` accepts it.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func sayInMission(
    _ missionID: UUID, text: String, clientID: UUID = UUID()
  ) async throws -> MissionActivityRecord {
    log.info("sayInMission — mission: \(missionID.wireText)")
    return try await client.call(
      SayInMission(missionID: missionID, text: text), clientID: clientID)
  }

  /// Calls a function that names only a mission.
  private func act<Act: RemoteFunction>(
    _ name: String, _ act: Act, on missionID: UUID, _ clientID: UUID
  ) async throws -> Mission where Act.Output == MissionRecord {
    log.info("\(name) — mission: \(missionID.wireText)")
    return try await mission(client.call(act, clientID: clientID))
  }

  private func mission(_ record: MissionRecord) throws -> Mission {
    guard let mission = Mission(record) else { throw NetworkError.invalidResponse }
    return mission
  }
}

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
