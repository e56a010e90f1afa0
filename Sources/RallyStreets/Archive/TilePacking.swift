/// How a stored tile is packed, which its first bytes tell: what archives say about it is wrong at
/// times, and MBTiles says nothing.
enum TilePacking {
  case none, gzip, zlib

  init(of stored: [UInt8]) {
    if stored.starts(with: [0x1F, 0x8B]) {
      self = .gzip
    } else if stored.count >= 2, stored[0] == 0x78,
      (Int(stored[0]) << 8 | Int(stored[1])) % 31 == 0
    {
      // RFC 1950, section 2.2. A vector tile begins with another byte.
      self = .zlib
    } else {
      self = .none
    }
  }

  /// - Returns: At most `TileLimits.unpackedTile` bytes.
  /// - Throws: `ArchiveError` if the tile is damaged or too large.
  static func unpacked(_ stored: [UInt8]) throws(ArchiveError) -> [UInt8] {
    guard TilePacking(of: stored) == .none else {
      return try Gzip.unpacked(stored, limit: TileLimits.unpackedTile, subject: "A tile")
    }
    guard stored.count <= TileLimits.unpackedTile else { throw .tooLarge("A tile") }
    return stored
  }
}
