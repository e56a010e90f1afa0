import Testing

@testable import RallyStreets

@Suite struct LRUCacheTests {
  @Test func `the value that was not used for the longest time goes first`() {
    var cache = LRUCache<Int, String>(limit: 10)
    cache.insert("a", for: 0, cost: 4)
    cache.insert("b", for: 1, cost: 4)
    #expect(cache.value(for: 0) == "a")
    cache.insert("c", for: 2, cost: 4)
    #expect(cache.value(for: 0) == "a")
    #expect(cache.value(for: 1) == nil)
    #expect(cache.value(for: 2) == "c")
    #expect(cache.cost == 8)
  }

  @Test func `a value that costs too much alone is kept until the next one`() {
    var cache = LRUCache<Int, String>(limit: 10)
    cache.insert("a", for: 0, cost: 50)
    #expect(cache.value(for: 0) == "a")
    cache.insert("b", for: 1, cost: 1)
    #expect(cache.value(for: 0) == nil)
    #expect(cache.cost == 1)
  }

  @Test func `the value of a key counts once`() {
    var cache = LRUCache<Int, String>(limit: 10)
    cache.insert("a", for: 0, cost: 4)
    cache.insert("b", for: 0, cost: 3)
    #expect(cache.value(for: 0) == "b")
    #expect(cache.cost == 3)
    cache.removeAll()
    #expect(cache.value(for: 0) == nil)
    #expect(cache.cost == 0)
  }
}
