import FoundationEssentials
import RallyWire

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
  ///   and after a restart; who declined is not asked again, and who is there already not at all.
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
