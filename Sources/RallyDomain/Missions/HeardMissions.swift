import FoundationEssentials
import RallyClient
import RallyWire

/// Of which missions events were heard, in which order, and which of them is the newest.
struct HeardMissions {
  /// How many were heard.
  private(set) var count = 0
  private var last: [UUID: Int] = [:]
  /// When the newest change of each mission was made. Members, check-ins and who is on the way change a
  /// mission without a version of it.
  private var times: [UUID: WireTime] = [:]

  mutating func take(_ missionID: UUID) {
    count += 1
    if last.count >= Pages.mostRows { last = [:] }
    last[missionID] = count
  }

  /// - Parameter time: When the change was made; nil where the event does not say it.
  /// - Returns: Whether it is not older than what was heard of this mission.
  mutating func isNews(of missionID: UUID, at time: WireTime?) -> Bool {
    guard let time else { return true }
    if let known = times[missionID], known > time { return false }
    if times.count >= Pages.mostRows { times = [:] }
    times[missionID] = time
    return true
  }

  /// What comes from now on may be of another server, with another clock.
  mutating func forgetTimes() { times = [:] }

  /// Whether one of this mission was heard after so many of all.
  func has(_ missionID: UUID, since mark: Int) -> Bool {
    last[missionID].map { $0 > mark } ?? false
  }
}
