import RallyMap
import Synchronization

/// An archive in the format PMTiles, version 3.
public final class PMTilesArchive: TileArchive {
  public let info: ArchiveInfo
  let header: PMTilesHeader
  let metadata: [UInt8]
  let root: PMTilesDirectory
  private let file: ArchiveFile
  /// The leaf directories that were used last, by their offset. An entry takes 24 bytes: 3 MiB.
  private let leaves = Mutex(LRUCache<UInt64, PMTilesDirectory>(limit: 131_072))

  /// - Throws: `ArchiveError` if the file is none that can be read.
  public convenience init(path: String) throws(ArchiveError) {
    try self.init(file: ArchiveFile(path: path))
  }

  init(file: ArchiveFile) throws(ArchiveError) {
    let start = try file.bytes(at: 0, count: Int(min(file.length, UInt64(PMTilesHeader.length))))
    header = try PMTilesHeader(start)
    self.file = file
    let packed = try file.bytes(at: header.root.offset, count: Int(header.root.length))
    root = try Self.directory(packed, header)
    let description = try file.bytes(at: header.metadata.offset, count: Int(header.metadata.length))
    let metadata = try Self.metadata(description, header)
    self.metadata = metadata.json
    info = ArchiveInfo(header, metadata)
  }

  public func tile(at address: TileAddress) throws(ArchiveError) -> [UInt8]? {
    try packedTile(at: address).map { stored throws(ArchiveError) in
      try TilePacking.unpacked(stored)
    }
  }

  /// The tile as it is stored; nil if there is none.
  func packedTile(at address: TileAddress) throws(ArchiveError) -> [UInt8]? {
    let number = address.number
    var directory = root
    for _ in 0...TileLimits.leafLevels {
      guard let entry = directory.entry(of: number) else { return nil }
      if !entry.isLeaf { return try content(of: entry) }
      directory = try leaf(entry)
    }
    throw .damaged("its directories are nested too deeply")
  }

  func content(of entry: PMTilesDirectory.Entry) throws(ArchiveError) -> [UInt8] {
    guard entry.length > 0 else { return [] }
    try header.checkTile(entry)
    return try file.bytes(at: header.tiles.offset + entry.offset, count: Int(entry.length))
  }

  func leaf(_ entry: PMTilesDirectory.Entry) throws(ArchiveError) -> PMTilesDirectory {
    if let known = leaves.withLock({ $0.value(for: entry.offset) }) { return known }
    try header.checkLeaf(entry)
    let packed = try file.bytes(at: header.leaves.offset + entry.offset, count: Int(entry.length))
    let directory = try Self.directory(packed, header)
    leaves.withLock {
      $0.insert(directory, for: entry.offset, cost: directory.entries.count)
    }
    return directory
  }

  static func directory(
    _ packed: [UInt8], _ header: PMTilesHeader
  ) throws(ArchiveError) -> PMTilesDirectory {
    try PMTilesDirectory(
      decoding: header.compression.unpacked(
        packed, limit: TileLimits.directory, subject: "A directory"))
  }

  static func metadata(
    _ packed: [UInt8], _ header: PMTilesHeader
  ) throws(ArchiveError) -> ArchiveMetadata {
    guard !packed.isEmpty else { return ArchiveMetadata(json: []) }
    return ArchiveMetadata(
      json: try header.compression.unpacked(
        packed, limit: TileLimits.metadata, subject: "The archive's description"))
  }
}

extension PMTilesHeader {
  /// - Throws: `ArchiveError` unless a tile's bytes are in their section and within the bound.
  func checkTile(_ entry: PMTilesDirectory.Entry) throws(ArchiveError) {
    guard tiles.holds(offset: entry.offset, length: UInt64(entry.length)) else {
      throw .damaged("a tile lies beyond the tiles' section")
    }
    guard Int(entry.length) <= TileLimits.unpackedTile else { throw .tooLarge("A tile") }
  }

  /// - Throws: `ArchiveError` unless a leaf directory is in its section and within the bound.
  func checkLeaf(_ entry: PMTilesDirectory.Entry) throws(ArchiveError) {
    guard leaves.holds(offset: entry.offset, length: UInt64(entry.length)) else {
      throw .damaged("a directory lies beyond the directories' section")
    }
    guard Int(entry.length) <= TileLimits.directory else { throw .tooLarge("A directory") }
  }
}

extension ArchiveInfo {
  init(_ header: PMTilesHeader, _ metadata: ArchiveMetadata) {
    self.init(
      name: metadata.name, bounds: header.bounds, minimumZoom: header.minimumZoom,
      maximumZoom: header.maximumZoom, attribution: metadata.attribution,
      tileCount: header.addressedTiles == 0 ? nil : Int(clamping: header.addressedTiles),
      format: .pmtiles, layers: metadata.layers)
  }
}
