import RallyMap

/// The 127 bytes at the start of a PMTiles archive (specification, version 3, section 3).
struct PMTilesHeader: Hashable {
  static let length = 127
  /// Header and root directory must end by here.
  static let firstBytes: UInt64 = 16_384

  /// A part of the file: offset and length in bytes.
  struct Section: Hashable {
    var offset: UInt64
    var length: UInt64

    var end: UInt64 { offset + length }

    /// Whether a part of the section, by its offset from the section's start, lies within.
    func holds(offset: UInt64, length: UInt64) -> Bool {
      offset <= self.length && length <= self.length - offset
    }
  }

  var root: Section
  var metadata: Section
  var leaves: Section
  var tiles: Section
  /// Addresses with a tile, 0 if unknown; likewise the entries and the different contents.
  var addressedTiles: UInt64 = 0
  var entries: UInt64 = 0
  var contents: UInt64 = 0
  var isClustered = false
  /// Of directories and metadata.
  var compression: PMTilesCompression
  var tileCompression: PMTilesCompression
  var minimumZoom: Int
  var maximumZoom: Int
  var bounds: GeoBounds
}

/// The compressions that are read.
enum PMTilesCompression: UInt8 {
  case none = 1
  case gzip = 2

  /// - Throws: `ArchiveError.compression` with the name of another one.
  init(code: UInt8) throws(ArchiveError) {
    guard let known = PMTilesCompression(rawValue: code) else {
      throw .compression([3: "brotli", 4: "zstd"][code] ?? "an unknown method")
    }
    self = known
  }

  /// - Parameter subject: What is unpacked, with its article.
  /// - Throws: `ArchiveError.tooLarge` beyond the limit, `.damaged` for damaged gzip.
  func unpacked(_ packed: [UInt8], limit: Int, subject: String) throws(ArchiveError) -> [UInt8] {
    switch self {
    case .none: packed
    case .gzip: try Gzip.unpacked(packed, limit: limit, subject: subject)
    }
  }
}

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
    // An archive may leave both open: what its tiles are, their first bytes show.
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

extension RandomAccessCollection<UInt8> {
  /// The little-endian integer at an offset from the start; the bytes must be there.
  func littleEndian<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int) -> Value {
    let start = index(startIndex, offsetBy: offset)
    let end = index(start, offsetBy: MemoryLayout<Value>.size)
    return self[start..<end].reversed().reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
  }
}

extension [UInt8] {
  mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
