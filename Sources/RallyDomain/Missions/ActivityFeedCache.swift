import FoundationEssentials
import RallyClient
import RallySystem
import RallyWire

/// The feeds that were opened, and which of them are kept current.
struct ActivityFeedCache {
  /// How many feeds are kept; the least recently opened one is dropped.
  static let limit = 8

  private(set) var pages: [UUID?: MissionFeedPages] = [:]
  /// The one opened last is last.
  private var order: [UUID?] = []
  private var generations: [UUID?: Int] = [:]
  /// Increases with each line that I posted.
  private(set) var ownLines = 0
  /// By mission, the line whose response did not arrive.
  private var unanswered: [UUID: UnansweredCall<String>] = [:]

  /// The feed of all, and the feed of the mission that was opened last.
  var watched: [UUID?] {
    [order.last { $0 == nil }, order.last { $0 != nil }].compactMap(\.self)
  }

  func isWatched(_ missionID: UUID) -> Bool {
    watched.contains { $0 == nil || $0 == missionID }
  }

  mutating func open(_ missionID: UUID?) {
    order.removeAll { $0 == missionID }
    order.append(missionID)
    if pages[missionID] == nil { pages[missionID] = MissionFeedPages() }
    while order.count > Self.limit { pages[order.removeFirst()] = nil }
  }

  /// Changes a feed that is open.
  mutating func change(_ missionID: UUID?, _ change: (inout MissionFeedPages) -> Void) {
    guard var feed = pages[missionID] else { return }
    change(&feed)
    pages[missionID] = feed
  }

  /// The number of a new fetch of this feed; responses to earlier ones are stale from now on.
  mutating func begin(_ missionID: UUID?) -> Int {
    generations[missionID, default: 0] += 1
    return generations[missionID, default: 0]
  }

  func isCurrent(_ generation: Int, of missionID: UUID?) -> Bool {
    generations[missionID] == generation
  }

  /// Puts a line of mine into the feeds that show it.
  mutating func insert(_ line: MissionActivityRecord) {
    ownLines += 1
    for key in [line.missionID, nil] { change(key) { $0.insert(line) } }
  }

  /// The client id to post this text with.
  mutating func clientID(for text: String, in missionID: UUID) -> UUID {
    unanswered[missionID, default: UnansweredCall()].clientID(for: text)
  }

  mutating func answered(in missionID: UUID) { unanswered[missionID] = nil }
}
