import Testing

@testable import RallyMap

struct ByteReaderTests {
  @Test func `varints have seven bits a byte, the lowest first`() throws {
    #expect(try read([0x7F]) { try $0.varint() } == 127)
    #expect(try read([0xAC, 0x02]) { try $0.varint() } == 300)
    #expect(try read([0xFF, 0xFF, 0xFF, 0xFF, 0x7F]) { try $0.varint() } == 1 << 35 - 1)
  }

  @Test func `a varint that never ends is impossible`() {
    #expect(throws: WorldMapError.impossibleValue(offset: 5)) {
      try read([UInt8](repeating: 0x80, count: 9)) { try $0.varint() }
    }
    #expect(throws: WorldMapError.truncated(offset: 1)) { try read([0x80]) { try $0.varint() } }
  }

  @Test(arguments: [(UInt8(0), 0), (1, -1), (2, 1), (3, -2), (4, 2)])
  func `signs are in the lowest bit`(_ byte: UInt8, _ value: Int) throws {
    #expect(try read([byte]) { try $0.zigzag() } == value)
  }

  @Test func `numbers are little-endian and never read past the end`() throws {
    #expect(try read([1, 2]) { try $0.uint16() } == 0x0201)
    #expect(try read([1, 2, 3]) { try $0.uint24() } == 0x03_0201)
    #expect(try read([1, 2, 3, 4]) { try $0.uint32() } == 0x0403_0201)
    #expect(throws: WorldMapError.truncated(offset: 0)) { try read([1]) { try $0.uint16() } }
    #expect(throws: WorldMapError.truncated(offset: 0)) { try read([1, 2]) { try $0.uint24() } }
    #expect(throws: WorldMapError.truncated(offset: 0)) { try read([1, 2, 3]) { try $0.uint32() } }
    #expect(throws: WorldMapError.truncated(offset: 0)) { try read([]) { try $0.byte() } }
  }

  @Test func `a count of more than can follow is impossible`() throws {
    #expect(try read([2, 0, 0, 0, 0]) { try $0.count(bytesEach: 2) } == 2)
    #expect(throws: WorldMapError.impossibleValue(offset: 0)) {
      try read([3, 0, 0, 0, 0]) { try $0.count(bytesEach: 2) }
    }
    #expect(throws: WorldMapError.impossibleValue(offset: 0)) {
      try read([9, 0x61]) { try $0.text() }
    }
  }

  @Test func `texts are UTF-8, and broken ones are mended`() throws {
    #expect(try read([3, 0x61, 0xC3, 0xA9]) { try $0.text() } == "aé")
    #expect(try read([2, 0x61, 0xFF]) { try $0.text() } == "a\u{FFFD}")
  }

  private func read<Value>(
    _ bytes: [UInt8], _ body: (inout ByteReader) throws -> Value
  ) throws -> Value {
    try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer, range: 0..<bytes.count)
      return try body(&reader)
    }
  }
}
