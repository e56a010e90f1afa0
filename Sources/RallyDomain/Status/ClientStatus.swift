import FoundationEssentials
import RallyClient
import RallyWire

/// What a status line says, as the client that has the interface open last knew it.
///
/// It is kept beside the cache of the first frame. Some of it changes with time alone: a position
/// gets old, a mission starts, a share ends. It is kept with its times, so that a reader can work
/// it out later without the client: see `StatusReport`.
public struct ClientStatus: StoreSnapshot {
  static let name = "status"

  /// A position on my map.
  public struct Position: Hashable, Sendable, Codable {
    @WireText<UsernameText> public var username: String
    @WireText<NameText> public var displayName: String
    /// The farthest that the friend can be from me, metres, in steps of 50; nil where I am nowhere.
    public var metres: Int?
    public var precision: SharingMode
    /// As `FriendPosition.recordedAt`, to the minute.
    public var recordedAt: WireTime
  }

  /// A mission that I am in and that is not over.
  public struct Appointment: Hashable, Sendable, Codable {
    @WireText<TitleText> public var title: String
    public var startsAt: WireTime
    public var endsAt: WireTime?
  }

  /// How many friends have the same setting of their own.
  public struct Share: Hashable, Sendable, Codable {
    var setting: SharingSetting
    var count: Int
  }

  public var username: String
  public var requests: Int
  /// Friends who ask where I am.
  public var questions: Int
  /// Missions that I am invited to.
  public var invitations: Int
  public var friends: Int
  /// The nearest first.
  public var positions: [Position]
  /// The one that starts first in front.
  public var missions: [Appointment]
  /// The setting of friends without their own.
  var general: SharingSetting
  var withoutOwn: Int
  var shares: [Share]
  /// The fewest that may see me, while the server has not agreed to what I decided.
  var least: SharingMinimum?
  var ghost: GhostPhase?
  /// When links to watch end; nil for none.
  var linkEnds: [WireTime]?
  public var policy: String
  /// Whether the server answers, so that nothing of this is old while the client runs.
  public var isConnected: Bool
  public var asOf: WireTime
}

/// What the server may still show although I decided otherwise.
struct SharingMinimum: Hashable, Sendable, Codable {
  var shared: Int
  var precise: Int
}

extension ClientStatus {
  static let positionLimit = 256
  static let missionLimit = 16

  /// What the stores hold now; nil before lists and sharing are known.
  @MainActor
  public init?(
    social: SocialStore, map: MapStore, sharing: LocationSharingStore, missions: MissionsStore,
    link: LinkService, policy: RuntimePolicyCoordinator, at now: WireTime
  ) {
    guard let known = social.asOf, let table = sharing.sharing, let summary = sharing.summary else {
      return nil
    }
    username = social.profile?.username ?? ""
    requests = social.incomingRequests.count
    questions = social.locationAsks.incoming.count
    invitations = missions.invitationCount
    friends = social.friends.count
    let me = map.myPosition?.coordinate
    positions = Array(
      map.positionsByDistance(at: now).prefix(Self.positionLimit).map { Position($0, from: me) })
    self.missions = Array(
      missions.active.filter { $0.myState == .joined }.sorted { $0.startsAt < $1.startsAt }
        .prefix(Self.missionLimit)
        .map { Appointment(title: $0.title, startsAt: $0.startsAt, endsAt: $0.endsAt) })
    general = table.general
    var (withoutOwn, counts) = (0, [SharingSetting: Int]())
    // By index: a row that is handed over is copied, and there may be thousands.
    for index in table.friends.indices {
      if let own = table.friends[index].own {
        counts[own, default: 0] += 1
      } else {
        withoutOwn += 1
      }
    }
    self.withoutOwn = withoutOwn
    shares = counts.map { Share(setting: $0.key, count: $0.value) }
      .sorted {
        ($0.setting.mode, $0.setting.until ?? now) < ($1.setting.mode, $1.setting.until ?? now)
      }
    let agreed = table.summary(at: now)
    least =
      summary.sharedCount > agreed.sharedCount || summary.preciseCount > agreed.preciseCount
        // Those who see me on the way are in no share.
        || summary.followerCount > 0
      ? SharingMinimum(shared: summary.sharedCount, precise: summary.preciseCount) : nil
    ghost = summary.ghost
    linkEnds = sharing.links.isEmpty ? nil : sharing.links.map(\.until)
    self.policy = policy.policyLevel.rawValue
    isConnected = link.state.isReached && social.loadState == .loaded
    asOf = isConnected ? now : known
  }
}

extension ClientStatus.Position {
  init(_ position: FriendPosition, from me: Coordinate?) {
    let farthest = me.map { $0.distance(to: position.coordinate) + position.uncertaintyMetres }
    let minute = position.recordedAt.microseconds / 60_000_000 * 60_000_000
    self.init(
      username: position.profile.username, displayName: position.profile.displayName,
      metres: farthest.map { Int(($0 / 50).rounded(.up)) * 50 }, precision: position.precision,
      recordedAt: WireTime(microseconds: minute))
  }
}
