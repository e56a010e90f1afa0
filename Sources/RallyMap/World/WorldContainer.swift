import CWorldMap

/// The header of the packed world: magic bytes, version, checksum and section table. The format is
/// documented in Scripts/worldmap/README.md.
struct WorldContainer: Sendable {
  static let marks: [UInt8] = Array("RWM".utf8)
  static let version = 2

  let bytes: WorldBytes
  /// CRC-32 of everything after the checksum field, as written by the generator. Not verified at
  /// load.
  let checksum: UInt32
  private let sections: [WorldSection: Range<Int>]

  /// Reads the header only; sections are decoded on demand.
  init(_ bytes: WorldBytes) throws(WorldMapError) {
    let size = bytes.count
    let (checksum, sections) = try bytes.withBytes {
      raw throws(WorldMapError) -> (UInt32, [WorldSection: Range<Int>]) in
      guard size >= 8, raw.prefix(Self.marks.count).elementsEqual(Self.marks) else {
        throw .notAWorldMap
      }
      var reader = ByteReader(raw, range: Self.marks.count..<size)
      let version = Int(try reader.byte())
      guard version == Self.version else { throw .unknownVersion(version) }
      let checksum = try reader.uint32()
      var sections: [WorldSection: Range<Int>] = [:]
      for _ in 0..<(try reader.byte()) {
        let section = WorldSection(rawValue: try reader.byte())
        let start = Int(try reader.uint32())
        let length = Int(try reader.uint32())
        guard let section, start <= size, length <= size - start else { continue }
        sections[section] = start..<start + length
      }
      return (checksum, sections)
    }
    self.bytes = bytes
    self.checksum = checksum
    self.sections = sections
  }

  /// Decodes one section; throws unless `body` consumes it completely.
  func read<Value>(
    _ section: WorldSection, _ body: (inout ByteReader) throws(WorldMapError) -> Value
  ) throws(WorldMapError) -> Value {
    guard let range = sections[section] else { throw .missingSection(section) }
    return try bytes.withBytes { raw throws(WorldMapError) -> Value in
      var reader = ByteReader(raw, range: range)
      let value = try body(&reader)
      guard reader.remaining == 0 else { throw .impossibleValue(offset: reader.offset) }
      return value
    }
  }

  /// The text in a range returned by `ByteReader.textRange`.
  func text(_ range: Range<Int>) -> String {
    bytes.withBytes { String(decoding: UnsafeRawBufferPointer(rebasing: $0[range]), as: UTF8.self) }
  }
}

/// The sections of the packed world. Raw values are the ids in the blob's section table.
public enum WorldSection: UInt8, CaseIterable, Hashable, Sendable {
  case countries = 1
  case timeZones = 2
  case cities = 3
  case rings = 4
  case names = 5
  case states = 6
  case level0 = 16
  case level1 = 17
  case level2 = 18
  case level3 = 19
}

/// The bytes of the packed world: those compiled into the program, or a copy modified by a test.
///
/// `@unchecked Sendable`: the memory is not written after `init` and outlives this object (the
/// compiled-in bytes are static, a copy is freed in `deinit`).
final class WorldBytes: @unchecked Sendable {
  private let buffer: UnsafeRawBufferPointer
  private let isCopy: Bool

  /// Uses the compiled-in bytes, which are memory-mapped from the executable and paged in on use.
  init() {
    buffer = UnsafeRawBufferPointer(start: rally_world_map_bytes(), count: rally_world_map_size())
    isCopy = false
  }

  init(copying bytes: [UInt8]) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    copy.copyBytes(from: bytes)
    buffer = UnsafeRawBufferPointer(copy)
    isCopy = true
  }

  deinit {
    if isCopy { buffer.deallocate() }
  }

  var count: Int { buffer.count }

  /// Calls `body` with the bytes; the pointer is valid only during the call.
  func withBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try body(buffer)
  }
}

/// Why the packed world could not be decoded. Offsets are bytes from the start of the blob.
///
/// The shipped blob never throws: a test decodes all of it. An error means that the program's file
/// is damaged and should be reinstalled.
public enum WorldMapError: Error, Hashable, Sendable {
  /// The blob does not start with the magic bytes of the format.
  case notAWorldMap
  /// The blob has a format version that this program does not support.
  case unknownVersion(Int)
  /// A required section is missing or lies outside of the blob.
  case missingSection(WorldSection)
  /// A section ends inside a value.
  case truncated(offset: Int)
  /// An invalid value: a count that cannot fit, an index out of range, a vertex outside of the
  /// world.
  case impossibleValue(offset: Int)
}
