import FoundationEssentials
import RallyClient

/// Of which missions events were heard, and in which order.
struct HeardMissions {
  /// How many were heard.
  private(set) var count = 0
  private var last: [UUID: Int] = [:]

  mutating func take(_ missionID: UUID) {
    count += 1
    if last.count >= Pages.mostRows { last = [:] }
    last[missionID] = count
  }

  /// Whether one of this mission was heard after so many of all.
  func has(_ missionID: UUID, since mark: Int) -> Bool {
    last[missionID].map { $0 > mark } ?? false
  }
}
