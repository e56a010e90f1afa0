import FoundationEssentials
import RallyWire

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
