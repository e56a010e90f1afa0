import RallyMap

/// Looks at the tiles of an archive before it is added. What an archive says about them may be
/// wrong: what counts is whether they can be read and drawn.
struct TileInspection {
  /// How the tiles are to be stored.
  let packing: PMTilesCompression
  /// How many tiles cannot be read, and are left out.
  private(set) var leftOut = 0
  private var readable = 0
  /// Whether a tile was decoded whose layers the map can draw.
  private var isKnown = false
  /// Names of layers that were found while none was known.
  private var layers: Set<String> = []
  private var problem: ArchiveError?

  private static let mostLayers = 8

  init(packing: PMTilesCompression) { self.packing = packing }

  /// The bytes to store of a tile; nil if it cannot be read.
  ///
  /// - Parameters:
  ///   - stored: As the archive has it; none is a tile with nothing in it.
  ///   - count: At how many addresses it is.
  mutating func kept(_ stored: [UInt8], count: Int = 1) -> [UInt8]? {
    do throws(ArchiveError) {
      let tile = try TilePacking.unpacked(stored)
      try look(at: tile)
      readable += count
      switch (packing, TilePacking(of: stored)) {
      case (.gzip, .gzip): return stored
      case (.gzip, _): return try Gzip.packed(tile)
      case (.none, _): return tile.isEmpty ? Self.empty : tile
      }
    } catch {
      problem = problem ?? error
      leftOut += count
      return nil
    }
  }

  /// A field beyond those of the format, which readers skip: an archive has no tile of no bytes.
  private static let empty: [UInt8] = [0x80, 0x01, 0x00]

  /// Counts tiles that are as unreadable as one before.
  mutating func leaveOut(_ count: Int) { leftOut += count }

  private mutating func look(at tile: [UInt8]) throws(ArchiveError) {
    if let picture = Self.picture(tile) { throw .tileKind(picture) }
    let found: (layers: [String], isKnown: Bool)
    do throws(VectorTileError) {
      found = try tile.withUnsafeBufferPointer { bytes throws(VectorTileError) in
        let layers = try VectorTile.layers(in: UnsafeRawBufferPointer(bytes))
        guard !isKnown else { return ([], true) }
        return (layers.map(\.name), try VectorSchema(of: layers) != nil)
      }
      if found.isKnown, !isKnown { _ = try GroundTile(vectorTile: tile, at: Self.anywhere) }
    } catch {
      throw .damaged("none of its tiles is a vector tile")
    }
    isKnown = found.isKnown || isKnown
    for name in found.layers where layers.count < Self.mostLayers { layers.insert(name) }
  }

  private static let anywhere = TileAddress(containing: WorldPoint(x: 0, y: 0), zoom: 14)

  /// Pictures by their first bytes.
  private static func picture(_ bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "PNG images" }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "JPEG images" }
    if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
      return "WebP images"
    }
    return bytes.dropFirst(4).starts(with: "ftypavif".utf8) ? "AVIF images" : nil
  }

  /// - Throws: `ArchiveError` if no tile can be read, or none has anything that the map draws.
  func check() throws(ArchiveError) {
    guard readable > 0 else { throw problem ?? .nothingThere }
    guard !isKnown else { return }
    guard !layers.isEmpty else { throw .nothingThere }
    throw .schema(layers.sorted().map { ArchiveText.line($0, limit: 40) })
  }

  /// Whether so many tiles were looked at in vain that there is no use in going on.
  var isHopeless: Bool { readable == 0 && leftOut >= 8 }
}

extension PMTilesArchive {
  /// Looks at some tiles.
  ///
  /// - Throws: `ArchiveError` if none of them can be read and drawn.
  public func checkTiles() throws(ArchiveError) {
    var inspection = TileInspection(packing: .gzip)
    var directory = root
    for _ in 0..<TileLimits.leafLevels {
      guard let first = directory.entries.first, first.isLeaf else { break }
      directory = try leaf(first)
    }
    for entry in directory.entries.lazy.filter({ !$0.isLeaf && $0.length > 0 }).prefix(64) {
      _ = inspection.kept(try content(of: entry))
    }
    try inspection.check()
  }
}
