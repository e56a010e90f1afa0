import FoundationEssentials
import RallyClient
import RallySystem
import RallyText
import RallyWire

/// The loaded lines of one feed: a window over all lines, without gaps.
struct MissionFeedPages: Hashable, Sendable {
  private(set) var feed = MissionFeed()

  /// How many lines a page has.
  static let pageSize = 50
  /// How many lines are kept; dropped lines are fetched again when needed.
  static let limit = 2000

  /// The cursor of the page below; nil while there are no lines.
  var cursor: WireTime? { feed.lines.last?.createdAt }

  mutating func begin() {
    feed.isLoading = true
    feed.problem = nil
  }

  mutating func fail(_ problem: String?) {
    feed.isLoading = false
    feed.problem = problem
  }

  /// Takes the newest lines; known older ones stay if no line between can be missing.
  ///
  /// - Parameter isBeforeOwnLine: Whether a line of mine was added after this page was read.
  mutating func takeNewest(_ page: [MissionActivityRecord], isBeforeOwnLine: Bool = false) {
    feed.isLoading = false
    feed.problem = nil
    let isFull = page.count >= Self.pageSize
    guard let oldest = page.last?.createdAt, let newest = page.first?.createdAt else {
      if isBeforeOwnLine { return }
      feed.lines = []
      feed.hasMore = false
      return
    }
    let ids = Set(page.map(\.id))
    let newer =
      isBeforeOwnLine ? feed.lines.filter { $0.createdAt > newest && !ids.contains($0.id) } : []
    let older = isFull ? feed.lines.filter { $0.createdAt < oldest && !ids.contains($0.id) } : []
    let meets = feed.lines.contains { $0.createdAt >= oldest }
    if isFull, meets, !feed.hasNewer {
      feed.lines = newer + page + older
      if older.isEmpty { feed.hasMore = true }
    } else {
      feed.lines = newer + page
      feed.hasMore = isFull
    }
    feed.hasNewer = false
    if feed.lines.count > Self.limit {
      feed.lines.removeLast(feed.lines.count - Self.limit)
      feed.hasMore = true
    }
  }

  /// Takes the lines older than the request's cursor.
  mutating func takeOlder(_ page: [MissionActivityRecord], below cursor: WireTime) {
    feed.isLoading = false
    feed.problem = nil
    // The window moved meanwhile: the page does not adjoin it.
    guard self.cursor == cursor else { return }
    let ids = Set(feed.lines.map(\.id))
    feed.lines += page.filter { $0.createdAt < cursor && !ids.contains($0.id) }
    feed.hasMore = page.count >= Self.pageSize
    if feed.lines.count > Self.limit {
      feed.lines.removeFirst(feed.lines.count - Self.limit)
      feed.hasNewer = true
    }
  }

  /// Inserts a line of mine at once.
  mutating func insert(_ line: MissionActivityRecord) {
    guard !feed.hasNewer, !feed.lines.contains(where: { $0.id == line.id }) else { return }
    let index = feed.lines.firstIndex { $0.createdAt < line.createdAt } ?? feed.lines.endIndex
    // Below all known lines there may be unknown ones between.
    guard index < feed.lines.endIndex || !feed.hasMore else { return }
    feed.lines.insert(line, at: index)
  }
}

/// A line that I posted and that the server has not accepted yet.
public struct PendingLine: Hashable, Sendable, Identifiable {
  /// Also the call's `p_client_id`.
  public let id: UUID
  public let missionID: UUID
  public let text: String
  public let madeAt: WireTime
}

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

/// Up to when the talk of each mission was seen on this machine.
struct TalkReading: StoreSnapshot {
  static let name = "talk-seen"
  /// How many missions are remembered; the one seen longest ago is dropped.
  static let limit = 500

  /// When it was changed last.
  var asOf: WireTime
  /// When this machine began to remember: older lines count as seen.
  private(set) var since: WireTime
  private(set) var seen: [UUID: WireTime] = [:]

  init(since: WireTime) {
    asOf = since
    self.since = since
  }

  /// Up to when a mission's talk was seen.
  ///
  /// - Parameter joinedAt: When I joined: what was said before was not said to me.
  func seenUpTo(_ missionID: UUID, joinedAt: WireTime?) -> WireTime {
    seen[missionID] ?? max(since, joinedAt ?? since)
  }

  /// - Returns: Whether the time is later than the one known.
  mutating func see(_ missionID: UUID, upTo time: WireTime, now: WireTime) -> Bool {
    guard seen[missionID].map({ $0 < time }) ?? true else { return false }
    seen[missionID] = time
    asOf = now
    if seen.count > Self.limit, let oldest = seen.min(by: { $0.value < $1.value }) {
      since = max(since, oldest.value)
      seen[oldest.key] = nil
    }
    return true
  }
}
