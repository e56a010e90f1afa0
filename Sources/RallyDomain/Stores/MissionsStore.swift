import Foundation
import Logging
import Observation
import RallyWire

/// The missions that I am in, that are near me and that are done, with their activity.
@MainActor
@Observable
public final class MissionsStore {
  // MARK: - State
  public private(set) var loadState: CommunityLoadState = .loading
  /// The latest failure that a person should read; the view clears it.
  public var presentedError: CommunityViewError?
  public private(set) var active: [Mission] = []
  public private(set) var nearby: [Mission] = []
  public private(set) var done: [Mission] = []
  public private(set) var nearbyState: NearbyState = .noPosition
  /// When the lists were fetched; nil before they were, older than now from the cache.
  public private(set) var asOf: WireTime?
  public private(set) var isRealtimeLive = false
  /// Missions whose joining, leaving or ending is under way.
  public private(set) var settlingIDs: Set<UUID> = []
  public private(set) var pendingCheckIns: [PendingCheckIn] = []
  /// The activity of missions that were opened; the key nil is all of mine.
  public private(set) var feeds: [UUID?: MissionFeed] = [:]
  /// Me; nil before it is known.
  public private(set) var userID: UUID?

  public init() {}

  // MARK: - Lists

  /// A mission that any list knows, or that was opened.
  public func mission(_ id: UUID) -> Mission? {
    (active + nearby + done).first { $0.id == id }
  }

  /// How many missions I am invited to: what waits on me.
  public var invitationCount: Int { active.count { $0.myState == .invited } }

  public func restoreFromCache() async {}
  public func refreshAll(mode: CommunityRefreshMode) async {}
  /// Looks for missions twice as far away as now.
  public func widenNearby() async {}

  // MARK: - Cross-Feature Inputs

  public func updateFriends(_ friends: [CommunityProfile]) {}
  /// My own position has changed.
  public func currentLocationChanged() {}
  /// Whether somebody looks at the missions now.
  public func setVisible(_ isVisible: Bool) {}

  // MARK: - Being In It

  public func join(_ missionID: UUID) async {}
  /// Leaves a mission, or declines the invitation to it.
  public func leave(_ missionID: UUID) async {}
  public func complete(_ missionID: UUID) async {}
  public func cancel(_ missionID: UUID) async {}
  public func invite(_ userIDs: [UUID], to missionID: UUID) async {}

  // MARK: - Making

  /// - Returns: The mission, or why it was not taken.
  public func create(_ call: CreateMission) async -> Result<Mission, DraftFailure> {
    .failure(.form(advice: ""))
  }
  public func update(_ call: UpdateMission) async -> Result<Mission, DraftFailure> {
    .failure(.form(advice: ""))
  }

  // MARK: - Check-ins

  /// Checks in where I am; shows at once as pending until the server has it.
  public func checkIn(_ objectiveID: UUID, of missionID: UUID) async {}
  public func retry(_ checkInID: UUID) async {}
  public func drop(_ checkInID: UUID) async {}

  // MARK: - Activity

  /// Fetches the newest lines of a mission; nil for all of mine.
  public func openFeed(_ missionID: UUID?) async {}
  public func loadOlder(_ missionID: UUID?) async {}
  /// - Returns: Why the line was not taken; nil once it was.
  public func say(_ text: String, in missionID: UUID) async -> FieldProblem? { nil }

  // MARK: - Realtime

  public func startMissionsRealtimeListener() {}
  public func stopMissionsRealtimeListener() {}
  public func setPollInterval(_ interval: Duration?) {}

  /// Returns once what is shown is in the cache.
  public func saveState() async {}
}

extension MissionsStore {
  /// A store on no server.
  public static func inert() -> MissionsStore { MissionsStore() }
}

private struct MissionsStoreKey: EnvironmentKey {
  @MainActor static let defaultValue = MissionsStore.inert()
}

extension EnvironmentValues {
  public var missionsStore: MissionsStore {
    get { self[MissionsStoreKey.self] }
    set { self[MissionsStoreKey.self] = newValue }
  }
}
