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

  /// How many rows its table has; nil where counting takes too long.
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

/// The tables of an MBTiles archive. Not for several threads at once.
private final class MBTilesTables {
  private let reader: SQLiteReader
  private let lookup: SQLiteStatement

  /// - Throws: `ArchiveError.notAnArchive` if the database has no tiles.
  init(_ reader: SQLiteReader) throws(ArchiveError) {
    self.reader = reader
    lookup = try reader.statement(Self.oneTile)
  }

  private static let oneTile =
    "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?"

  /// The first 200 rows of the table `metadata`.
  ///
  /// - Throws: `ArchiveError`; `.tooLarge` beyond the bound of an archive's description.
  func metadata() throws(ArchiveError) -> [String: String] {
    let rows = try reader.statement("SELECT name, value FROM metadata LIMIT 200")
    var table: [String: String] = [:]
    var total = 0
    while try rows.step() {
      guard let name = rows.text(0), let value = rows.text(1) else { continue }
      total += name.utf8.count + value.utf8.count
      guard total <= TileLimits.metadata else { throw .tooLarge("The archive's description") }
      table[name] = value
    }
    return table
  }

  /// The lowest and the highest zoom of any tile; 0 and 0 if there are none.
  ///
  /// - Throws: `ArchiveError`.
  func zooms() throws(ArchiveError) -> (Int, Int) {
    guard try isIndexed() else { return try zoomsOfAllRows() }
    let row = try reader.statement(
      "SELECT (SELECT min(zoom_level) FROM tiles), (SELECT max(zoom_level) FROM tiles)")
    guard try row.step() else { return (0, 0) }
    return (row.int(0) ?? 0, row.int(1) ?? 0)
  }

  private func zoomsOfAllRows() throws(ArchiveError) -> (Int, Int) {
    let rows = try reader.statement("SELECT zoom_level FROM tiles")
    var found: (Int, Int)?
    while try rows.step() {
      guard let zoom = rows.int(0) else { continue }
      found = (min(found?.0 ?? zoom, zoom), max(found?.1 ?? zoom, zoom))
    }
    return found ?? (0, 0)
  }

  /// Whether a tile is found without reading all rows. The format recommends an index and does not
  /// ask for one.
  private func isIndexed() throws(ArchiveError) -> Bool {
    let plan = try reader.statement("EXPLAIN QUERY PLAN \(Self.oneTile)")
    while try plan.step() {
      if plan.text(3)?.hasPrefix("SCAN") == true { return false }
    }
    return true
  }

  /// - Throws: `ArchiveError`.
  func tile(at address: TileAddress) throws(ArchiveError) -> [UInt8]? {
    lookup.bind(address.zoom, address.x, address.flippedRow)
    defer { lookup.reset() }
    return try lookup.step() ? lookup.bytes(0) : nil
  }

  /// How many rows there are; nil where counting takes too many steps.
  func rowCount() -> Int? {
    guard let row = try? reader.statement("SELECT count(*) FROM tiles"), (try? row.step()) == true
    else { return nil }
    return row.int(0)
  }

  /// Calls `body` with each tile that an area touches, or with all tiles, in the order of the table.
  ///
  /// Each row is read once: where there is no index, a search for each tile would read all of them.
  ///
  /// - Throws: `ArchiveError.tooLarge` for more than `most` tiles; what `body` throws.
  func forEachTile(
    in area: TileArea?, most: Int, _ body: (TileAddress, [UInt8]) throws -> Void
  ) throws {
    if let area, try isIndexed() {
      for address in try addresses(in: area, most: most) {
        if let tile = try tile(at: address) { try body(address, tile) }
      }
      return
    }
    let rows = try reader.statement(
      "SELECT zoom_level, tile_column, tile_row, tile_data FROM tiles")
    var count = 0
    while try rows.step() {
      guard let zoom = rows.int(0), let column = rows.int(1), let row = rows.int(2),
        (0...TileAddress.maximumZoom).contains(zoom),
        let address = TileAddress(zoom: zoom, x: column, y: (1 << zoom) - 1 - row),
        area?.touches(address) ?? true, let tile = rows.bytes(3)
      else { continue }
      count += 1
      guard count <= most else { throw ArchiveError.tooLarge("The area with that many tiles") }
      try body(address, tile)
    }
  }

  /// The addresses of the tiles that an area touches.
  private func addresses(in area: TileArea, most: Int) throws(ArchiveError) -> Set<TileAddress> {
    let rows = try reader.statement(
      """
      SELECT tile_column, tile_row FROM tiles WHERE zoom_level = ?
        AND tile_column BETWEEN ? AND ? AND tile_row BETWEEN ? AND ?
      """)
    var addresses: Set<TileAddress> = []
    var count = 0
    for zoom in 0...TileAddress.maximumZoom {
      let last = (1 << zoom) - 1
      for part in area.parts {
        let (columns, fromNorth) = (part.columns(zoom: zoom), part.rows(zoom: zoom))
        rows.bind(
          zoom, columns.lowerBound, columns.upperBound, last - fromNorth.upperBound,
          last - fromNorth.lowerBound)
        while try rows.step() {
          count += 1
          guard count <= most else { throw .tooLarge("The area with that many tiles") }
          guard let column = rows.int(0), let row = rows.int(1) else { continue }
          addresses.formUnion(
            [TileAddress(zoom: zoom, x: column, y: last - row)].compactMap(\.self))
        }
      }
    }
    return addresses
  }
}

extension TileAddress {
  /// The row counted from the south, as in MBTiles (the TMS scheme).
  fileprivate var flippedRow: Int { (1 << zoom) - 1 - y }
}
