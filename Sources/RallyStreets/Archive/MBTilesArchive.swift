import RallyMap
import Synchronization

/// An archive in the format MBTiles, 1.3: a SQLite database, whose rows are counted from the south.
public final class MBTilesArchive: TileArchive {
  static let magic = Array("SQLite format 3\0".utf8)

  public let info: ArchiveInfo
  let metadata: [UInt8]
  private let tables: Mutex<MBTilesTables>

  /// - Throws: `ArchiveError` if the file is none that can be read.
  public init(path: String) throws(ArchiveError) {
    let tables = try MBTilesTables(SQLiteReader(path: path))
    let table = try tables.metadata()
    if let format = table["format"]?.lowercased(), !Self.vectorFormats.contains(format) {
      throw .tileKind("tiles of the format \(ArchiveText.line(format, limit: 20))")
    }
    let metadata = try ArchiveMetadata(table: table)
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
    guard let stored = try storedTile(at: address) else { return nil }
    if Gzip.isGzip(stored) {
      return try Gzip.unpacked(stored, limit: TileLimits.unpackedTile, subject: "A tile")
    }
    guard stored.count <= TileLimits.unpackedTile else { throw .tooLarge("A tile") }
    return stored
  }

  /// The tile as it is stored, mostly packed with gzip; nil if there is none.
  func storedTile(at address: TileAddress) throws(ArchiveError) -> [UInt8]? {
    try tables.withLock { tables throws(ArchiveError) in try tables.tile(at: address) }
  }

  /// The addresses of the tiles that an area touches, in no order; of all tiles without one.
  ///
  /// - Throws: `ArchiveError.tooLarge` for more than `most` rows.
  func addresses(in area: GeoBounds?, most: Int) throws(ArchiveError) -> Set<TileAddress> {
    try tables.withLock { [info] tables throws(ArchiveError) in
      try tables.addresses(
        in: area, zooms: info.minimumZoom...info.maximumZoom, most: most)
    }
  }
}
