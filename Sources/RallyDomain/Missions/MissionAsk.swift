import FoundationEssentials
import RallySystem
import RallyText
import RallyWire

/// Asking everybody in a mission who has not arrived where they are: who is asked, and why the others
/// are not.
public struct MissionAsk: Sendable {
  /// Why a member is not asked.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    case arrived
    /// They show me the way.
    case onTheWay = "on_the_way"
    /// Only friends are asked.
    case notFriend = "not_friend"
    /// I asked them less than ten minutes ago.
    case asked = "asked_before"

    fileprivate func words(_ count: Int) -> String {
      switch self {
      case .arrived: "\(count) arrived"
      case .onTheWay: count == 1 ? "1 shows you the way" : "\(count) show you the way"
      case .notFriend: count == 1 ? "1 is no friend of yours" : "\(count) are no friends of yours"
      case .asked: count == 1 ? "1 was asked before" : "\(count) were asked before"
      }
    }
  }

  /// In the order of the mission.
  public private(set) var asked: [CommunityProfile] = []
  public private(set) var others: [(member: MissionMemberRecord, reason: Reason)] = []

  /// - Parameters:
  ///   - me: Who asks.
  ///   - coming: Of this and other missions.
  public init(
    in mission: Mission, by me: UUID?, friends: [CommunityProfile], coming: [ComingRecord],
    asks: LocationAsks, at now: WireTime
  ) {
    for member in mission.joined where member.userID != me {
      let way = coming.first { $0.missionID == mission.id && $0.userID == member.userID }
      if way?.arrivedAt != nil {
        others.append((member, .arrived))
      } else if way?.isOnTheWay(at: now) == true {
        others.append((member, .onTheWay))
      } else if let friend = friends.first(where: { $0.id == member.userID }) {
        if asks.isPaused(friend.id, at: now) {
          others.append((member, .asked))
        } else {
          asked.append(friend)
        }
      } else {
        others.append((member, .notFriend))
      }
    }
  }

  /// `You asked 3 friends where they are. 1 arrived, 2 are no friends of yours.`
  ///
  /// - Parameter count: How many the server took the question to.
  public func sentence(asked count: Int) -> String {
    let whom =
      count == 0
      ? "Nobody was asked." : "You asked \(count.counted("friend")) where they are."
    let reasons = Reason.allCases.compactMap { reason in
      let count = others.count { $0.reason == reason }
      return count == 0 ? nil : reason.words(count)
    }
    return reasons.isEmpty ? whom : "\(whom) \(reasons.joined(separator: ", "))."
  }
}
