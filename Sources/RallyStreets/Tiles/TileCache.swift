import RallyMap

/// Decoded tiles, the least recently used dropped first once they take more than a limit.
struct TileCache {
  struct Key: Hashable {
    /// The path of the archive.
    let archive: String
    let address: TileAddress
  }

  enum Entry {
    case tile(GroundTile)
    /// The archive has no tile there.
    case none
    /// The tile is there and cannot be read.
    case unreadable

    fileprivate var byteCount: Int {
      if case .tile(let tile) = self { tile.byteCount } else { 64 }
    }
  }

  let maximumByteCount: Int
  private(set) var byteCount = 0
  private var entries: [Key: (entry: Entry, used: UInt64)] = [:]
  private var clock: UInt64 = 0

  /// - Parameter maximumByteCount: 8 MiB unless given; a tile that is larger alone is still kept
  ///   until the next one comes.
  init(maximumByteCount: Int = 8 << 20) { self.maximumByteCount = maximumByteCount }

  mutating func entry(for key: Key) -> Entry? {
    guard let found = entries[key] else { return nil }
    clock += 1
    entries[key]?.used = clock
    return found.entry
  }

  mutating func insert(_ entry: Entry, for key: Key) {
    clock += 1
    if let old = entries.updateValue((entry, clock), forKey: key) {
      byteCount -= old.entry.byteCount
    }
    byteCount += entry.byteCount
    while byteCount > maximumByteCount, entries.count > 1,
      let oldest = entries.min(by: { $0.value.used < $1.value.used })
    {
      entries[oldest.key] = nil
      byteCount -= oldest.value.entry.byteCount
    }
  }

  mutating func removeAll() {
    entries.removeAll()
    byteCount = 0
  }
}
