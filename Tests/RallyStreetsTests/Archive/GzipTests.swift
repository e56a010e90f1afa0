import Testing

@testable import RallyStreets

@Suite struct GzipTests {
  private let text = Array("streets ".utf8) + Array(repeating: 7, count: 100_000)

  private func unpacked(_ bytes: [UInt8], limit: Int = 1 << 20) throws(ArchiveError) -> [UInt8] {
    try Gzip.unpacked(bytes, limit: limit, subject: "A tile")
  }

  @Test func `what was packed is unpacked, in several members too`() throws {
    #expect(try unpacked(Gzip.packed(text)) == text)
    #expect(try unpacked(Gzip.packed([])) == [])
    #expect(try unpacked(Gzip.packed(text) + Gzip.packed([1, 2])) == text + [1, 2])
  }

  @Test func `zlib is unpacked too, and first bytes tell what is packed`() throws {
    let zlib = try ArchiveFixtures.zlib(text)
    #expect(try unpacked(zlib) == text)
    #expect(TilePacking(of: zlib) == .zlib)
    #expect(TilePacking(of: try Gzip.packed(text)) == .gzip)
    for plain in [[], [0x78], [0x78, 0x9D], VectorTileSample.road()] {
      #expect(TilePacking(of: plain) == .none)
    }
  }

  @Test func `no more than the limit is unpacked`() throws {
    let packed = try Gzip.packed(text)
    #expect(try unpacked(packed, limit: text.count) == text)
    let error = #expect(throws: ArchiveError.self) { try unpacked(packed, limit: text.count - 1) }
    #expect(error?.sentence == "A tile that unpacks to more bytes is larger than can be read.")
  }

  @Test func `damaged and truncated bytes are refused`() throws {
    let packed = try Gzip.packed(text)
    var wrongSum = packed
    wrongSum[packed.count - 6] ^= 1
    for bytes in [[], [0x1F], Array(packed.dropLast()), wrongSum, packed + [1, 2, 3], text] {
      #expect(throws: ArchiveError.damaged("a tile is no whole gzip")) { try unpacked(bytes) }
    }
  }
}
