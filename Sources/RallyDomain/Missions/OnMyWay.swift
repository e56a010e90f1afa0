import FoundationEssentials
import RallyWire

/// Showing the way to a mission: what has to come before it is shown, and what an answer does.
@MainActor
public struct OnMyWay {
  /// What the key does next.
  public enum Step: Hashable, Sendable {
    /// The way is shown, and no longer will be.
    case end
    /// A ghost is seen by nobody.
    case ghost
    /// It must first be known where I am.
    case locate
    /// Nobody sees it before an answer.
    case ask
  }

  private let sharing: LocationSharingStore
  private let missions: MissionsStore
  private let provider: CurrentLocationProvider
  /// Me; nil before it is known.
  private let me: UUID?

  public init(
    sharing: LocationSharingStore, missions: MissionsStore, provider: CurrentLocationProvider,
    me: UUID?
  ) {
    self.sharing = sharing
    self.missions = missions
    self.provider = provider
    self.me = me
  }

  public func isOn(theWayTo mission: Mission, at now: WireTime) -> Bool {
    missions.coming.contains {
      $0.missionID == mission.id && $0.userID == me && $0.isOnTheWay(at: now)
    }
  }

  public func step(to mission: Mission, at now: WireTime) -> Step {
    if isOn(theWayTo: mission, at: now) { return .end }
    guard sharing.ghostPhase == nil else { return .ghost }
    return provider.coordinate == nil ? .locate : .ask
  }

  /// Asks all sources where I am: nothing measures before a position is shown to somebody or a map is
  /// open.
  ///
  /// - Returns: Whether it is known within ten seconds.
  public func locate() async -> Bool {
    await provider.survey(within: Self.locating).fix != nil
  }

  /// Whether the question at the start of a live mission can still be answered.
  public func isAsked(atStartOf mission: Mission) -> Bool {
    sharing.ghostPhase == nil && missions.liveMissions.contains { $0.id == mission.id }
  }

  /// Shows the way to these members, to all for whom it is shown then; ends it with nil.
  ///
  /// - What: Stores the way on the server and fetches missions again.
  /// - How: `LocationSharingStore.setOnMyWay`, then a refresh if it was done.
  /// - Why: The key ends or asks by what the refresh fetches.
  /// - Service Calls: None
  public func show(_ mission: Mission, to readers: [UUID]?) async -> IntentOutcome<Void> {
    let outcome = await sharing.setOnMyWay(to: mission.id, readers: readers)
    if outcome.isDone { await missions.refreshAll(mode: .refresh) }
    return outcome
  }

  /// How long sources may take to say where I am.
  private static let locating = Duration.seconds(10)
}
