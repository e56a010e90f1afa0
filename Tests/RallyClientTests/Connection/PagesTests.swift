import RallyWire
import Synchronization
import Testing

@testable import RallyClient
@testable import RallySystem

@Suite struct PagesTests {
  private struct Row: Identifiable, Hashable { var id: Int }

  /// A list of which each page has at most `size` rows, whatever was asked for.
  private func fetch(
    _ count: Int, size: Int, tells: Bool, unreadable: Set<Int> = []
  ) -> @Sendable (Int) -> Page<Row> {
    { offset in
      let end = min(count, offset + size)
      let rows = offset < end ? Array(offset..<end) : []
      return Page(
        rows: rows.filter { !unreadable.contains($0) }.map { Row(id: $0) },
        received: rows.count, isCutShort: tells ? end < count : nil)
    }
  }

  @Test(arguments: [true, false])
  func `a page that was cut short is not the last`(tells: Bool) async throws {
    let rows = try await Pages.all(fetch(95, size: 10, tells: tells))
    #expect(rows.map(\.id) == Array(0..<95))
  }

  @Test func `the next page begins after all rows that came, those that cannot be read too`()
    async throws
  {
    // Single ones, and a whole page of them.
    let unreadable = Set([0, 9, 10, 25, 94]).union(40..<50)
    let asked = Mutex<[Int]>([])
    let fetch = fetch(95, size: 10, tells: false, unreadable: unreadable)
    let rows = try await Pages.all { offset in
      asked.withLock { $0.append(offset) }
      try #require(asked.withLock(\.count) < 20)
      return fetch(offset)
    }
    #expect(rows.map(\.id) == (0..<95).filter { !unreadable.contains($0) })
    #expect(asked.withLock { $0 } == stride(from: 0, to: 100, by: 10) + [95])
  }

  @Test func `a whole page spares the request for an empty one`() async throws {
    let asked = Mutex<[Int]>([])
    let fetch = fetch(12, size: 200, tells: true)
    _ = try await Pages.all { offset in
      asked.withLock { $0.append(offset) }
      return fetch(offset)
    }
    #expect(asked.withLock { $0 } == [0])
  }

  @Test func `a list without an end is cut`() async throws {
    let rows = try await Pages.all { offset in
      Page(rows: (offset..<offset + 200).map { Row(id: $0) }, received: 200, isCutShort: true)
    }
    #expect(rows.count == Pages.mostRows)
    let asked = Mutex(0)
    let slow = try await Pages.all { offset in
      asked.withLock { $0 += 1 }
      return Page(rows: [Row(id: offset)], received: 1, isCutShort: true)
    }
    #expect(slow.count == Pages.mostPages)
    #expect(asked.withLock { $0 } == Pages.mostPages)
  }

  @Test func `pages of which nothing can be read come to an end`() async throws {
    let asked = Mutex(0)
    await #expect(throws: NetworkError.invalidResponse) {
      _ = try await Pages.all { _ -> Page<Row> in
        asked.withLock { $0 += 1 }
        return Page(rows: [], received: 200, isCutShort: true)
      }
    }
    #expect(asked.withLock { $0 } == Pages.mostUnreadable)
  }

  @Test func `answers that are cut by size are asked for together, and overlap`() async throws {
    let asked = Mutex<[Int]>([])
    // As many rows as fit: now more, now fewer.
    let sizes = [40, 44, 38, 30, 41]
    for unreadable in [[], Set([37, 38, 70])] {
      for count in [1, 39, 40, 41, 95, 400, 1001] {
        asked.withLock { $0 = [] }
        let rows = try await Pages.whole { offset in
          asked.withLock { $0.append(offset) }
          let size = sizes[offset % sizes.count]
          let end = min(offset + size, count)
          let rows = (min(offset, end)..<end).filter { !unreadable.contains($0) }
          return Page(
            rows: rows.map { Row(id: $0) }, received: max(0, end - offset), isCutShort: end < count)
        }
        #expect(rows.map(\.id) == (0..<count).filter { !unreadable.contains($0) })
        if count == 1001, unreadable.isEmpty { #expect(asked.withLock(\.count) < 48) }
      }
    }
    let repeated = try await Pages.whole { _ in
      Page(rows: [Row(id: 1), Row(id: 2)], received: 2, isCutShort: true)
    }
    #expect(repeated.map(\.id) == [1, 2])
  }

  @Test func `a server that repeats itself comes to an end`() async throws {
    let rows = try await Pages.all { _ in
      Page(rows: [Row(id: 1), Row(id: 2)], received: 2, isCutShort: true)
    }
    #expect(rows.map(\.id) == [1, 2])
  }

  @Test func `pages of a long list are asked for together, in few rounds`() async throws {
    let asked = Mutex<[Int]>([])
    let running = Mutex((now: 0, most: 0))
    let fetch = fetch(10_000, size: 200, tells: true)
    let rows = try await Pages.all { offset in
      asked.withLock { $0.append(offset) }
      running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      defer { running.withLock { $0.now -= 1 } }
      await Task.yield()
      return fetch(offset)
    }
    #expect(rows.map(\.id) == Array(0..<10_000))
    #expect(running.withLock(\.most) <= Pages.mostAtOnce)
    // The last round reaches beyond the end.
    #expect(asked.withLock { Set($0).count == $0.count && $0.count <= 50 + Pages.mostAtOnce })
  }

  @Test func `a page that is shorter than the others leaves nothing out`() async throws {
    let rows = try await Pages.all { offset -> Page<Row> in
      // Cut by its size at one place, as a page of long rows is.
      let most = offset == 600 ? 150 : 200
      let end = min(1900, offset + most)
      return Page(
        rows: offset < end ? (offset..<end).map { Row(id: $0) } : [],
        received: max(0, end - offset), isCutShort: end < 1900)
    }
    #expect(rows.map(\.id) == Array(0..<1900))
  }

  @Test func `no more is fetched than is wanted`() async throws {
    let rows = try await Pages.all(limit: 15, fetch(95, size: 10, tells: true))
    #expect(rows.map(\.id) == Array(0..<15))
  }
}
