import RallyMap

extension PMTilesHeader {
  private static let magic = Array("PMTiles".utf8)

  /// Whether a file starts as PMTiles of any version.
  static func starts(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

  /// - Parameter bytes: The first 127 bytes.
  /// - Throws: `ArchiveError` for anything that cannot be read.
  init(_ bytes: [UInt8]) throws(ArchiveError) {
    guard Self.starts(bytes) else { throw .notAnArchive }
    if bytes.count > 7, bytes[7] != 3 { throw .version(Int(bytes[7])) }
    guard bytes.count >= Self.length else { throw .damaged("it ends within its header") }
    root = try Self.section(bytes, at: 8)
    metadata = try Self.section(bytes, at: 24)
    leaves = try Self.section(bytes, at: 40)
    tiles = try Self.section(bytes, at: 56)
    addressedTiles = bytes.littleEndian(UInt64.self, at: 72)
    entries = bytes.littleEndian(UInt64.self, at: 80)
    contents = bytes.littleEndian(UInt64.self, at: 88)
    isClustered = bytes[96] == 1
    compression = try PMTilesCompression(code: bytes[97])
    // An archive may leave both open: what its tiles are, their first bytes tell.
    tileCompression = bytes[98] == 0 ? .none : try PMTilesCompression(code: bytes[98])
    guard bytes[99] <= 1 else {
      throw .tileKind(Self.tileKinds[bytes[99]] ?? "tiles of an unknown kind")
    }
    minimumZoom = Int(bytes[100])
    maximumZoom = min(Int(bytes[101]), TileAddress.maximumZoom)
    guard minimumZoom <= maximumZoom else { throw .damaged("its zoom levels are out of order") }
    func degrees(_ offset: Int) -> Double {
      Double(bytes.littleEndian(Int32.self, at: offset)) / 10_000_000
    }
    // Archives without their bounds are common enough.
    bounds =
      GeoBounds(
        west: degrees(102), south: degrees(106), east: degrees(110), north: degrees(114)) ?? .world
    guard root.length <= TileLimits.directory else { throw .tooLarge("The archive's directory") }
    guard metadata.length <= TileLimits.metadata else {
      throw .tooLarge("The archive's description")
    }
  }

  private static func section(_ bytes: [UInt8], at offset: Int) throws(ArchiveError) -> Section {
    let section = Section(
      offset: bytes.littleEndian(UInt64.self, at: offset),
      length: bytes.littleEndian(UInt64.self, at: offset + 8))
    // Half of the range keeps every later sum from overflowing.
    guard section.offset < 1 << 62, section.length < 1 << 62 else {
      throw .damaged("its header points beyond any file")
    }
    return section
  }

  private static let tileKinds: [UInt8: String] = [
    2: "PNG images", 3: "JPEG images", 4: "WebP images", 5: "AVIF images", 6: "MapLibre tiles",
  ]

  var encoded: [UInt8] {
    var bytes = Self.magic + [3]
    for section in [root, metadata, leaves, tiles] {
      bytes.append(littleEndian: section.offset)
      bytes.append(littleEndian: section.length)
    }
    for count in [addressedTiles, entries, contents] { bytes.append(littleEndian: count) }
    bytes += [isClustered ? 1 : 0, compression.rawValue, tileCompression.rawValue, 1]
    bytes += [UInt8(minimumZoom), UInt8(maximumZoom)]
    for degrees in [bounds.west, bounds.south, bounds.east, bounds.north] {
      bytes.append(littleEndian: Self.units(degrees))
    }
    bytes.append(UInt8(minimumZoom))
    bytes.append(littleEndian: Self.units((bounds.west + bounds.east) / 2))
    bytes.append(littleEndian: Self.units((bounds.south + bounds.north) / 2))
    return bytes
  }

  private static func units(_ degrees: Double) -> Int32 { Int32((degrees * 10_000_000).rounded()) }
}
