import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

@Suite struct MissionFeedPagesTests {
  /// Lines of these numbers, the newest first.
  private func lines(_ numbers: some Collection<Int>) -> [MissionActivityRecord] {
    numbers.sorted(by: >).map { Samples.line($0) }
  }

  private func numbers(_ pages: MissionFeedPages) -> [Int] {
    pages.feed.lines.map { Int($0.createdAt.since(Samples.time).components.seconds) }
  }

  @Test func `a short page is all there is`() {
    var pages = MissionFeedPages()
    #expect(pages.feed.hasMore)
    pages.begin()
    #expect(pages.feed.isLoading)
    pages.takeNewest(lines(1...3))
    #expect(numbers(pages) == [3, 2, 1])
    #expect(!pages.feed.hasMore)
    #expect(!pages.feed.isLoading)
    pages.takeNewest([])
    #expect(pages.feed.lines.isEmpty)
  }

  @Test func `older pages join below, newer lines come on top`() {
    var pages = MissionFeedPages()
    pages.takeNewest(lines(51...100))
    #expect(pages.feed.hasMore)
    let cursor = pages.cursor
    pages.takeOlder(lines(1...50), below: cursor ?? Samples.time)
    #expect(numbers(pages) == Array((1...100).reversed()))
    #expect(pages.feed.hasMore)
    pages.takeNewest(lines(53...102))
    #expect(numbers(pages) == Array((1...102).reversed()))
    pages.takeOlder([], below: pages.cursor ?? Samples.time)
    #expect(!pages.feed.hasMore)
  }

  @Test func `a page for a cursor that is past is dropped`() {
    var pages = MissionFeedPages()
    pages.takeNewest(lines(51...100))
    pages.takeOlder(lines(1...20), below: Samples.time.advanced(by: .seconds(30)))
    #expect(numbers(pages) == Array((51...100).reversed()))
  }

  @Test func `a page that does not meet what is known leaves no hole`() {
    var pages = MissionFeedPages()
    pages.takeNewest(lines(1...50))
    pages.takeNewest(lines(151...200))
    #expect(numbers(pages) == Array((151...200).reversed()))
    #expect(pages.feed.hasMore)
  }

  @Test func `lines that are not mine to see any more go with the next page`() {
    var pages = MissionFeedPages()
    pages.takeNewest(lines(1...10))
    pages.takeNewest(lines([1, 2, 3, 7, 10]))
    #expect(numbers(pages) == [10, 7, 3, 2, 1])
  }

  @Test func `a line of mine stays on top of a page that was read before it`() {
    var pages = MissionFeedPages()
    pages.takeNewest(lines(1...5))
    pages.insert(Samples.line(6))
    pages.insert(Samples.line(6))
    pages.takeNewest(lines(1...5), isBeforeOwnLine: true)
    #expect(numbers(pages) == [6, 5, 4, 3, 2, 1])
    pages.takeNewest(lines(1...6))
    #expect(numbers(pages) == [6, 5, 4, 3, 2, 1])
  }

  @Test func `no more than two thousand lines are kept, from wherever one reads`() {
    var pages = MissionFeedPages()
    pages.takeNewest(lines(4951...5000))
    for top in stride(from: 4950, to: 2950, by: -50) {
      pages.takeOlder(lines(top - 49...top), below: pages.cursor ?? Samples.time)
    }
    #expect(pages.feed.lines.count == MissionFeedPages.limit)
    // The window has slid down: the newest were let go, and are fetched again by opening.
    #expect(numbers(pages).first == 4950)
    #expect(numbers(pages).last == 2951)
    #expect(pages.feed.hasNewer)
    pages.insert(Samples.line(5001))
    #expect(numbers(pages).first == 4950)
    pages.takeNewest(lines(4952...5001))
    #expect(numbers(pages) == Array((4952...5001).reversed()))
    #expect(!pages.feed.hasNewer)
    #expect(pages.feed.hasMore)
  }

  @Test func `a failure says why and keeps the lines`() {
    var pages = MissionFeedPages()
    pages.takeNewest(lines(1...3))
    pages.begin()
    pages.fail("The server is gone.")
    #expect(numbers(pages) == [3, 2, 1])
    #expect(pages.feed.problem == "The server is gone.")
    pages.begin()
    #expect(pages.feed.problem == nil)
  }

  @Test func `the shelf watches the feed of all and the mission opened last`() {
    var shelf = ActivityFeedCache()
    #expect(shelf.watched.isEmpty)
    for number in 1...9 { shelf.open(Samples.id(number)) }
    #expect(shelf.watched == [Samples.id(9)])
    #expect(shelf.pages.count == ActivityFeedCache.limit)
    #expect(shelf.pages[Samples.id(1)] == nil)
    #expect(!shelf.isWatched(Samples.id(8)))
    shelf.open(nil)
    #expect(shelf.watched == [nil, Samples.id(9)])
    #expect(shelf.isWatched(Samples.id(8)))
  }

  @Test func `an answer to an earlier fetch is stale`() {
    var shelf = ActivityFeedCache()
    let first = shelf.begin(nil)
    #expect(shelf.isCurrent(first, of: nil))
    let second = shelf.begin(nil)
    #expect(!shelf.isCurrent(first, of: nil))
    #expect(shelf.isCurrent(second, of: nil))
  }
}
