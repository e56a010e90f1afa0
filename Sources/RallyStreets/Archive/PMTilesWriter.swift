import RallyMap

/// Writes a clustered PMTiles archive. Nothing is seen under its name until it is whole.
///
/// Tiles of equal bytes are stored once, and tiles in a row that share them are one entry.
public final class PMTilesWriter {
  /// Where stored bytes lie in the file of collected tiles.
  private struct Content: Hashable {
    var offset: UInt64
    var length: UInt32
  }

  private let path: String
  private let header: PMTilesHeader
  private let metadata: [UInt8]
  private let collected: TemporaryFile
  /// By a hash of the bytes; equal hashes are distinguished by the bytes themselves.
  private var contents: [Int: [Content]] = [:]
  private var entries: [PMTilesDirectory.Entry] = []

  /// - Parameters:
  ///   - path: Where the archive will be; its folder must exist. A file there is replaced.
  ///   - bounds: What the archive covers; its zooms are those of the tiles that are added.
  ///   - metadata: The JSON object that describes the archive, with name and attribution.
  ///   - isPacked: Whether the tiles are packed with gzip.
  /// - Throws: `ArchiveError.file`.
  public init(
    path: String, bounds: GeoBounds, metadata: [UInt8], isPacked: Bool = true
  ) throws(ArchiveError) {
    self.path = path
    self.metadata = metadata
    header = PMTilesHeader(bounds: bounds, tileCompression: isPacked ? .gzip : .none)
    collected = try TemporaryFile(beside: path)
    collected.hide()
  }

  /// Adds a tile; the order does not matter, and a tile added twice counts once.
  ///
  /// - Parameter bytes: The tile as it is to be stored; without any the tile is left out.
  /// - Throws: `ArchiveError.file`, or `.tooLarge` for a tile that no reader would take.
  public func add(_ address: TileAddress, _ bytes: [UInt8]) throws(ArchiveError) {
    guard !bytes.isEmpty else { return }
    guard bytes.count <= TileLimits.unpackedTile else { throw .tooLarge("A tile") }
    let content = try stored(bytes)
    entries.append(
      PMTilesDirectory.Entry(
        number: address.number, offset: content.offset, length: content.length, run: 1))
  }

  private func stored(_ bytes: [UInt8]) throws(ArchiveError) -> Content {
    let hash = bytes.hashValue
    for known in contents[hash] ?? [] where Int(known.length) == bytes.count {
      if try collected.bytes(at: known.offset, count: bytes.count) == bytes { return known }
    }
    let content = Content(offset: collected.length, length: UInt32(bytes.count))
    try collected.append(bytes)
    contents[hash, default: []].append(content)
    return content
  }

  /// Writes the archive to disk and gives it its name.
  ///
  /// - Throws: `ArchiveError.file`; nothing is left behind then.
  public func finish() throws(ArchiveError) {
    try PMTilesAssembly(header: header, metadata: metadata, entries: entries)
      .write(to: path) { [collected] offset, count throws(ArchiveError) in
        try collected.bytes(at: offset, count: count)
      }
  }
}

/// Lays out a clustered archive: header, root directory, description, leaf directories, tiles.
struct PMTilesAssembly {
  private var header: PMTilesHeader
  private let metadata: [UInt8]
  /// Sorted, each with the content's offset in the source.
  private let sources: [PMTilesDirectory.Entry]

  /// - Parameters:
  ///   - header: Bounds and the tiles' compression; the rest is filled in.
  ///   - entries: Each with the offset of its bytes in whatever `write` reads from. Of several for
  ///     one tile the first counts; runs must not overlap.
  init(header: PMTilesHeader, metadata: [UInt8], entries: [PMTilesDirectory.Entry]) {
    self.header = header
    self.metadata = metadata
    var sorted: [PMTilesDirectory.Entry] = []
    sorted.reserveCapacity(entries.count)
    for entry in entries.sorted(by: { $0.number < $1.number }) {
      if let last = sorted.last, entry.number < last.numbers.upperBound { continue }
      if let last = sorted.last, last.offset == entry.offset,
        last.numbers.upperBound == entry.number
      {
        sorted[sorted.count - 1].run += entry.run
      } else {
        sorted.append(entry)
      }
    }
    sources = sorted
  }

  /// - Parameter content: Reads bytes of the source.
  /// - Throws: `ArchiveError.file`, and what `content` throws.
  func write(
    to path: String, content: (UInt64, Int) throws(ArchiveError) -> [UInt8]
  ) throws(ArchiveError) {
    var header = header
    var entries = ContiguousArray(sources)
    // In the order of the numbers each content follows the one before, or repeats an earlier one.
    var placed: [UInt64: UInt64] = [:]
    var order: [Int] = []
    var end: UInt64 = 0
    for index in entries.indices {
      if let known = placed[entries[index].offset] {
        entries[index].offset = known
      } else {
        placed[entries[index].offset] = end
        order.append(index)
        entries[index].offset = end
        end += UInt64(entries[index].length)
      }
    }
    let (root, leaves) = try Self.directories(entries)
    let description = try Gzip.packed(metadata)
    header.addressedTiles = entries.reduce(0) { $0 + UInt64($1.run) }
    header.entries = UInt64(entries.count)
    header.contents = UInt64(order.count)
    header.isClustered = true
    header.minimumZoom = entries.first.map { TileAddress.zoom(ofNumber: $0.number) } ?? 0
    header.maximumZoom =
      entries.last.map { TileAddress.zoom(ofNumber: $0.numbers.upperBound - 1) } ?? 0
    header.bounds = Self.bounds(header.bounds, of: entries, zoom: header.maximumZoom)
    header.root = .init(offset: UInt64(PMTilesHeader.length), length: UInt64(root.count))
    header.metadata = .init(offset: header.root.end, length: UInt64(description.count))
    header.leaves = .init(offset: header.metadata.end, length: UInt64(leaves.count))
    header.tiles = .init(offset: header.leaves.end, length: end)

    let file = try TemporaryFile(beside: path)
    try file.append(header.encoded + root + description + leaves)
    for index in order {
      try file.append(content(sources[index].offset, Int(sources[index].length)))
    }
    try file.rename(to: path)
  }

  /// What the archive says that it covers, if any of its finest tiles is there. Else the box around
  /// them: tiles beyond its bounds are never drawn.
  private static func bounds(
    _ said: GeoBounds, of entries: ContiguousArray<PMTilesDirectory.Entry>, zoom: Int
  ) -> GeoBounds {
    let first = TileAddress.firstNumber(ofZoom: zoom)
    let finest = entries.lazy.reversed().prefix { $0.number >= first }
      .flatMap { [$0.number, $0.numbers.upperBound - 1] }
      .compactMap { TileAddress(number: $0) }
    let (columns, rows) = (said.columns(zoom: zoom), said.rows(zoom: zoom))
    if finest.contains(where: { columns.contains($0.x) && rows.contains($0.y) }) { return said }
    guard let any = finest.first(where: { _ in true }) else { return said }
    var (low, high) = (any.origin, any.origin)
    for tile in finest {
      let origin = tile.origin
      low = WorldPoint(x: min(low.x, origin.x), y: min(low.y, origin.y))
      high = WorldPoint(x: max(high.x, origin.x), y: max(high.y, origin.y))
    }
    let (north, south) = (
      low.geoPoint, WorldPoint(x: high.x + any.side, y: high.y + any.side).geoPoint
    )
    return GeoBounds(
      unchecked: north.longitude, south.latitude, high.x + any.side >= 1 ? 180 : south.longitude,
      north.latitude)
  }

  /// The packed root directory and the packed leaf directories one after another; no leaves if
  /// everything fits in the root.
  private static func directories(
    _ entries: ContiguousArray<PMTilesDirectory.Entry>
  ) throws(ArchiveError) -> (root: [UInt8], leaves: [UInt8]) {
    let room = Int(PMTilesHeader.firstBytes) - PMTilesHeader.length
    if entries.count <= room {
      let whole = try Gzip.packed(PMTilesDirectory(entries).encoded)
      if whole.count <= room { return (whole, []) }
    }
    var size = 4096
    while true {
      var leaves: [UInt8] = []
      var root: ContiguousArray<PMTilesDirectory.Entry> = []
      for start in stride(from: 0, to: entries.count, by: size) {
        let part = entries[start..<min(start + size, entries.count)]
        let leaf = try Gzip.packed(PMTilesDirectory(ContiguousArray(part)).encoded)
        root.append(
          PMTilesDirectory.Entry(
            number: entries[start].number, offset: UInt64(leaves.count),
            length: UInt32(leaf.count), run: 0))
        leaves += leaf
      }
      let packed = try Gzip.packed(PMTilesDirectory(root).encoded)
      if packed.count <= room { return (packed, leaves) }
      size += size / 4
    }
  }
}

extension PMTilesHeader {
  /// A header to be filled in by `PMTilesAssembly`.
  init(bounds: GeoBounds, tileCompression: PMTilesCompression) {
    let nothing = Section(offset: 0, length: 0)
    self.init(
      root: nothing, metadata: nothing, leaves: nothing, tiles: nothing, compression: .gzip,
      tileCompression: tileCompression, minimumZoom: 0, maximumZoom: 0, bounds: bounds)
  }
}
