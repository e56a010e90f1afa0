import FoundationEssentials
import RallyClient
import RallySystem
import RallyWire

extension MissionsStore {
  // MARK: - Arrivals

  /// Those who arrived at a mission since this machine began to remember, and I.
  public var arrivals: [ComingRecord] {
    coming.filter { row in row.arrivedAt.map { $0 > reading.since } ?? false }
  }

  /// Takes the arrivals that were not announced yet.
  ///
  /// - What: Each arrival is returned once, also with several interfaces of the profile and after a
  ///   restart.
  /// - How: What is taken is written to a file of this account on this machine first.
  /// - Why: The server keeps an arrival for a day, so that each fetch brings it again.
  /// - Service Calls: None
  public func takeArrivals() async -> [ComingRecord] {
    let rows = arrivals
    let news = Set(await once.take(rows.map(\.arrivalKey), at: now()))
    return rows.filter { news.contains($0.arrivalKey) }
  }
}

extension ComingRecord {
  /// Who comes to the same mission a second time arrives a second time.
  fileprivate var arrivalKey: String {
    "arrival \(missionID.wireText) \(userID.wireText) \(beganAt.microseconds)"
  }
}

extension MissionsStore {
  // MARK: - Live Missions

  /// Missions that I am in with others, that are live and have started, as far as I am not on the way
  /// there and was not there.
  func startedLive(_ missions: [Mission], at now: WireTime) -> [Mission] {
    missions.filter { mission in
      mission.isLive == true && mission.phase(at: now) == .active && mission.myState == .joined
        && mission.joined.contains { $0.userID != userID }
        && !coming.contains { $0.missionID == mission.id && $0.userID == userID }
    }
  }

  /// Takes the live missions at which I was not asked yet whether I show the way.
  ///
  /// - What: Each start of a mission is returned once, also with several interfaces of the profile
  ///   and after a restart. Who declined is not asked again, and who is there already not at all.
  /// - How: What is taken is written to a file of this account on this machine first.
  /// - Why: Nothing is shared by itself, and a question that returns would be pressure.
  /// - Service Calls: None
  public func takeStartedLive() async -> [Mission] {
    let missions = liveMissions
    let news = Set(await once.take(missions.map(\.startKey), at: now()))
    return missions.filter { news.contains($0.startKey) && !isThere($0) }
  }

  /// Whether I am within the mission's radius, as far as it is known where I am.
  private func isThere(_ mission: Mission) -> Bool {
    currentLocationProvider.fix.map {
      MissionRules.isWithin(
        distance: $0.coordinate.distance(to: mission.centre), accuracy: $0.accuracyMetres,
        radius: mission.radiusMetres)
    } ?? false
  }
}

extension Mission {
  /// One that is put off starts a second time.
  fileprivate var startKey: String { "live \(id.wireText) \(record.startsAt.microseconds)" }
}

/// Members who joined a mission after somebody began to show the way there, and do not see it.
public struct LaterJoiners: Hashable, Sendable {
  public let mission: Mission
  /// At least one.
  public let members: [MissionMemberRecord]
  /// Who sees it already.
  public let readerIDs: Set<UUID>
}

extension MissionsStore {
  // MARK: - Later Joiners

  /// Of missions to which I show the way.
  public var laterJoiners: [LaterJoiners] {
    coming.compactMap { way in
      guard way.userID == userID, way.isOnTheWay(at: now()),
        let mission = active.first(where: { $0.id == way.missionID })
      else { return nil }
      let readers = Set(way.readers.map(\.userID))
      let members = mission.joined.filter { member in
        member.userID != userID && !readers.contains(member.userID)
          && member.joinedAt.map { $0 > way.beganAt } ?? false
      }
      return members.isEmpty
        ? nil : LaterJoiners(mission: mission, members: members, readerIDs: readers)
    }
  }

  /// Takes those to whom I was not asked yet whether I show the way too.
  ///
  /// - What: Each one's joining is returned once, also with several interfaces of the profile and after
  ///   a restart.
  /// - How: What is taken is written to a file of this account on this machine first.
  /// - Why: The readers are those who were named: nobody is added without an answer.
  /// - Service Calls: None
  public func takeLaterJoiners() async -> [LaterJoiners] {
    let all = laterJoiners
    let news = Set(
      await once.take(all.flatMap { later in later.members.map(later.key) }, at: now()))
    return all.compactMap { later in
      let members = later.members.filter { news.contains(later.key($0)) }
      return members.isEmpty
        ? nil
        : LaterJoiners(mission: later.mission, members: members, readerIDs: later.readerIDs)
    }
  }
}

extension LaterJoiners {
  /// One who leaves and joins again is asked about again.
  fileprivate func key(_ member: MissionMemberRecord) -> String {
    "later \(mission.id.wireText) \(member.userID.wireText) \(member.joinedAt?.microseconds ?? 0)"
  }
}

/// What was announced on this machine and is announced once only.
struct AnnouncedKeys: Codable, Equatable, Sendable {
  /// How much is remembered; what was announced the longest ago is dropped.
  static let limit = 500

  private var times: [String: WireTime] = [:]

  func contains(_ key: String) -> Bool { times[key] != nil }

  /// - Returns: The keys that were not announced yet, in their order.
  mutating func take(_ keys: [String], at now: WireTime) -> [String] {
    let news = keys.filter { !contains($0) }
    for key in news { times[key] = now }
    while times.count > Self.limit, let oldest = times.min(by: { $0.value < $1.value }) {
      times[oldest.key] = nil
    }
    return news
  }
}

/// Keeps `AnnouncedKeys` in a private file, which all programs of the profile change one after the other:
/// who takes a key out of it announces it.
@MainActor
final class AnnouncedKeysFile {
  private let authService: AuthService
  private let persistenceService: PersistenceService
  /// As the file was seen last; most questions need no file.
  private var announced = AnnouncedKeys()

  init(authService: AuthService, persistenceService: PersistenceService) {
    self.authService = authService
    self.persistenceService = persistenceService
  }

  nonisolated static func key(userID: UUID) -> String { "told-once-\(userID.wireText)" }

  /// - Returns: The keys that no program of the profile has taken before. Where the file cannot be
  ///   changed, those that this one has not.
  func take(_ keys: [String], at now: WireTime) async -> [String] {
    let unknown = keys.filter { !announced.contains($0) }
    guard !unknown.isEmpty else { return [] }
    do {
      guard let userID = await authService.currentUserID else {
        throw PersistenceError.notConfigured
      }
      let (kept, news) = try await persistenceService.update(
        AnnouncedKeys(), withKey: Self.key(userID: userID)
      ) { $0.take(unknown, at: now) }
      announced = kept
      return news
    } catch {
      persistenceService.report("What you were told once may be told again", error)
      return announced.take(unknown, at: now)
    }
  }
}
