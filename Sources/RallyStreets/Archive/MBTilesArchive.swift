import RallyMap
import Synchronization

/// An archive in the format MBTiles, 1.3: a SQLite database, whose rows are counted from the south.
public final class MBTilesArchive: TileArchive {
  static let magic = Array("SQLite format 3\0".utf8)

  public let info: ArchiveInfo
  let metadata: [UInt8]
  private let path: String
  private let tables: Mutex<MBTilesTables>

  /// - Throws: `ArchiveError` if the file is none that can be read.
  public init(path: String) throws(ArchiveError) {
    self.path = path
    let tables = try MBTilesTables(SQLiteReader(path: path))
    let table = try tables.metadata()
    if let format = table["format"]?.lowercased(), !Self.vectorFormats.contains(format) {
      throw .tileKind("tiles of the format \(ArchiveText.line(format, limit: 20))")
    }
    let metadata = ArchiveMetadata(table: table)
    self.metadata = metadata.json
    info = try Self.info(table, metadata, tables)
    self.tables = Mutex(tables)
  }

  private static let vectorFormats: Set<String> = [
    "pbf", "mvt", "application/vnd.mapbox-vector-tile", "application/x-protobuf",
  ]

  private static func info(
    _ table: [String: String], _ metadata: ArchiveMetadata, _ tables: MBTilesTables
  ) throws(ArchiveError) -> ArchiveInfo {
    let written = (table["minzoom"].flatMap(Int.init), table["maxzoom"].flatMap(Int.init))
    let found = try written.0 == nil || written.1 == nil ? tables.zooms() : (0, 0)
    let zooms = 0...TileAddress.maximumZoom
    let (minimum, maximum) = (written.0 ?? found.0, min(written.1 ?? found.1, zooms.upperBound))
    guard zooms.contains(minimum), minimum <= maximum else {
      throw .damaged("its zoom levels are out of order")
    }
    let degrees = (table["bounds"] ?? "").split(separator: ",").compactMap {
      Double($0.filter { $0 != " " })
    }
    let bounds =
      degrees.count == 4
      ? GeoBounds(west: degrees[0], south: degrees[1], east: degrees[2], north: degrees[3]) : nil
    return ArchiveInfo(
      name: metadata.name, bounds: bounds ?? .world, minimumZoom: minimum, maximumZoom: maximum,
      attribution: metadata.attribution, tileCount: nil, format: .mbtiles, layers: metadata.layers)
  }

  public func tile(at address: TileAddress) throws(ArchiveError) -> [UInt8]? {
    let stored = try tables.withLock { tables throws(ArchiveError) in try tables.tile(at: address) }
    return try stored.map { stored throws(ArchiveError) in try TilePacking.unpacked(stored) }
  }

  /// How many rows its table has; nil where that takes too long to know.
  var rowCount: Int? { tables.withLock { $0.rowCount() } }

  /// Calls `body` with each tile, as it is stored, that an area touches; with all without one.
  ///
  /// - Throws: `ArchiveError.tooLarge` for more than `most` tiles; what `body` throws.
  func forEachTile(
    in area: TileArea?, most: Int, _ body: (TileAddress, [UInt8]) throws -> Void
  ) throws {
    // A connection of its own: others may read a tile meanwhile.
    try MBTilesTables(SQLiteReader(path: path)).forEachTile(in: area, most: most, body)
  }
}
