import RallyMap

/// The tables of an MBTiles archive. Not for several threads at once.
final class MBTilesTables {
  private let reader: SQLiteReader
  private let lookup: SQLiteStatement

  /// - Throws: `ArchiveError.notAnArchive` if the database has no tiles.
  init(_ reader: SQLiteReader) throws(ArchiveError) {
    self.reader = reader
    lookup = try reader.statement(
      """
      SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?
      """)
  }

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
    let row = try reader.statement(
      "SELECT (SELECT min(zoom_level) FROM tiles), (SELECT max(zoom_level) FROM tiles)")
    guard try row.step() else { return (0, 0) }
    return (row.int(0) ?? 0, row.int(1) ?? 0)
  }

  /// - Throws: `ArchiveError`.
  func tile(at address: TileAddress) throws(ArchiveError) -> [UInt8]? {
    lookup.bind(address.zoom, address.x, address.flippedRow)
    defer { lookup.reset() }
    return try lookup.step() ? lookup.bytes(0) : nil
  }

  /// The addresses of the tiles that an area touches; of all tiles without one.
  ///
  /// - Throws: `ArchiveError.tooLarge` for more than `most` rows.
  func addresses(
    in area: GeoBounds?, zooms: ClosedRange<Int>, most: Int
  ) throws(ArchiveError) -> Set<TileAddress> {
    let rows = try reader.statement(
      """
      SELECT tile_column, tile_row FROM tiles WHERE zoom_level = ?
        AND tile_column BETWEEN ? AND ? AND tile_row BETWEEN ? AND ?
      """)
    var addresses: Set<TileAddress> = []
    var count = 0
    for zoom in zooms {
      let last = (1 << zoom) - 1
      let columns = area?.columns(zoom: zoom) ?? 0...last
      let fromNorth = area?.rows(zoom: zoom) ?? 0...last
      rows.bind(
        zoom, columns.lowerBound, columns.upperBound, last - fromNorth.upperBound,
        last - fromNorth.lowerBound)
      while try rows.step() {
        count += 1
        guard count <= most else { throw .tooLarge("The area with that many tiles") }
        guard let column = rows.int(0), let row = rows.int(1) else { continue }
        addresses.formUnion([TileAddress(zoom: zoom, x: column, y: last - row)].compactMap(\.self))
      }
    }
    return addresses
  }
}

extension TileAddress {
  /// The row counted from the south, as in MBTiles (the TMS scheme).
  var flippedRow: Int { (1 << zoom) - 1 - y }
}
