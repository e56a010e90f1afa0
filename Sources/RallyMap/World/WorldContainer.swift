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

  static let checksummedFrom = 8

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
