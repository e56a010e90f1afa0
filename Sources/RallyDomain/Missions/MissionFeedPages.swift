import FoundationEssentials
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
