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
  /// By a hash of the bytes; equal hashes are told apart by the bytes themselves.
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
