import FoundationEssentials

/// Shows the caller's precise position to members of a mission while the caller is on the way to it.
///
/// It ends at the first report from within the mission's radius, when the mission is over, when the
/// caller leaves it, after `MissionRules.longestWay`, and by `EndOnMyWay`. Beginning again replaces
/// what was begun before in the same mission.
public struct BeginOnMyWay: RemoteMutation {
  public typealias Output = NoContent
  public static let name = "begin_on_my_way"

  public var missionID: UUID
  /// The members whom the caller was shown as those who will see the position. Of them the position
  /// is shown to those who are members at this moment; at most `MissionRules.readerLimit`.
  public var userIDs: [UUID]

  public init(missionID: UUID, userIDs: [UUID]) {
    self.missionID = missionID
    self.userIDs = userIDs
  }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case missionID = "p_mission_id"
    case userIDs = "p_user_ids"
  }
}

/// Ends what `BeginOnMyWay` began; no effect if nothing goes on.
public struct EndOnMyWay: RemoteMutation {
  public typealias Output = NoContent
  public static let name = "end_on_my_way"

  /// Nil for all missions.
  public var missionID: UUID?

  public init(missionID: UUID? = nil) { self.missionID = missionID }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case missionID = "p_mission_id"
  }
}

/// Who is on the way to missions of the caller, or has arrived: the caller, and members who show it
/// to the caller.
public struct FetchComing: RemoteFunction {
  public typealias Output = [ComingRecord]
  public static let name = "fetch_coming"

  /// Nil for all missions.
  public var missionID: UUID?

  public init(missionID: UUID? = nil) { self.missionID = missionID }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case missionID = "p_mission_id"
  }
}
