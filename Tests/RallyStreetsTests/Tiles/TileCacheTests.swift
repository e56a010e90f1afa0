import RallyMap
import Testing

@testable import RallyStreets

@Suite struct TileCacheTests {
  private func key(_ x: Int) throws -> TileCache.Key {
    TileCache.Key(archive: "a", address: try #require(TileAddress(zoom: 14, x: x, y: 0)))
  }

  private func tile(_ x: Int, vertices: Int) throws -> TileCache.Entry {
    var tile = GroundTile(
      address: try #require(TileAddress(zoom: 14, x: x, y: 0)), extent: 4096)
    tile.vertices = ContiguousArray(repeating: .init(x: 0, y: 0), count: vertices)
    return .tile(tile)
  }

  @Test func `the tile that was not used for the longest time goes first`() throws {
    var cache = TileCache(maximumByteCount: 10_000)
    for x in 0..<2 { cache.insert(try tile(x, vertices: 1000), for: try key(x)) }
    #expect(cache.entry(for: try key(0)) != nil)
    cache.insert(try tile(2, vertices: 1000), for: try key(2))
    #expect(cache.entry(for: try key(0)) != nil)
    #expect(cache.entry(for: try key(1)) == nil)
    #expect(cache.entry(for: try key(2)) != nil)
    #expect(cache.byteCount <= 10_000)
  }

  @Test func `a tile that is too large alone is kept until the next one`() throws {
    var cache = TileCache(maximumByteCount: 100)
    cache.insert(try tile(0, vertices: 1000), for: try key(0))
    #expect(cache.entry(for: try key(0)) != nil)
    cache.insert(.none, for: try key(1))
    #expect(cache.entry(for: try key(0)) == nil)
    #expect(cache.byteCount <= 100)
  }

  @Test func `the same tile counts once`() throws {
    var cache = TileCache()
    cache.insert(try tile(0, vertices: 1000), for: try key(0))
    let once = cache.byteCount
    cache.insert(try tile(0, vertices: 1000), for: try key(0))
    #expect(cache.byteCount == once)
    cache.removeAll()
    #expect(cache.byteCount == 0)
  }
}
