import CSQLite
import Foundation
import RallyMap
import Testing

@testable import RallyStreets

@Suite struct MBTilesArchiveTests {
  private let folder: ArchiveFolder
  private let whole = ArchiveFixtures.address(0, 0, 0)

  init() throws { folder = try ArchiveFolder() }

  /// A database that these statements make.
  private func database(_ sql: String, name: String = "made.mbtiles") throws -> String {
    let path = folder.path + "/" + name
    var handle: OpaquePointer?
    #expect(sqlite3_open(path, &handle) == SQLITE_OK)
    defer { sqlite3_close(handle) }
    try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
    return path
  }

  private let tables = """
    CREATE TABLE metadata (name text, value text);
    CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob);
    """

  @Test func `tiles behind a view, rows from the south, and plain bytes are read`() throws {
    let path = try database(
      """
      CREATE TABLE metadata (name text, value text);
      INSERT INTO metadata VALUES ('name', 'Views'), ('attribution', '<i>us</i>');
      CREATE TABLE map (zoom_level integer, tile_column integer, tile_row integer, tile_id text);
      CREATE TABLE images (tile_id text, tile_data blob);
      INSERT INTO images VALUES ('a', x'0102'), ('b', x'03');
      INSERT INTO map VALUES (1, 0, 0, 'a'), (1, 1, 1, 'b'), (3, 7, 7, 'a'), (-1, 0, 0, 'a');
      CREATE VIEW tiles AS SELECT map.zoom_level AS zoom_level, map.tile_column AS tile_column,
        map.tile_row AS tile_row, images.tile_data AS tile_data
        FROM map JOIN images ON images.tile_id = map.tile_id WHERE map.zoom_level >= 0;
      """, name: "ein ?#% Überblick.mbtiles")
    let archive = try TileArchives.open(path)
    #expect(try archive.tile(at: ArchiveFixtures.address(1, 0, 1)) == [1, 2])
    #expect(try archive.tile(at: ArchiveFixtures.address(1, 1, 0)) == [3])
    #expect(try archive.tile(at: ArchiveFixtures.address(1, 0, 0)) == nil)
    #expect((archive.info.minimumZoom, archive.info.maximumZoom) == (1, 3))
    #expect(archive.info.attribution == "us")
    #expect(archive.info.bounds == .world)
  }

  @Test func `an archive that is being written is read with its journal`() throws {
    let path = folder.path + "/wal.mbtiles"
    var handle: OpaquePointer?
    #expect(sqlite3_open(path, &handle) == SQLITE_OK)
    defer { sqlite3_close(handle) }
    let sql = "PRAGMA journal_mode=WAL;" + tables + "INSERT INTO tiles VALUES (0, 0, 0, x'05');"
    try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
    #expect(try TileArchives.open(path).tile(at: whole) == [5])
  }

  @Test func `a database without tiles is no archive`() throws {
    let path = try database("CREATE TABLE people (name text)")
    #expect(throws: ArchiveError.notAnArchive) { try TileArchives.open(path) }
  }

  @Test func `pictures are refused by their format`() throws {
    let path = try database(tables + "INSERT INTO metadata VALUES ('format', 'png')")
    #expect(throws: ArchiveError.tileKind("tiles of the format png")) {
      try TileArchives.open(path)
    }
  }

  @Test(arguments: [
    """
    CREATE VIEW tiles AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
      SELECT x AS zoom_level, x AS tile_column, x AS tile_row, x AS tile_data FROM n;
    """,
    """
    CREATE VIEW tiles AS SELECT 0 AS zoom_level, 0 AS tile_column, 0 AS tile_row,
      randomblob(8000000) AS tile_data;
    """,
  ])
  func `a view that computes without an end is refused`(view: String) throws {
    let path = try database(
      "CREATE TABLE metadata (name text, value text);"
        + "INSERT INTO metadata VALUES ('minzoom', '0'), ('maxzoom', '3');" + view)
    #expect(throws: ArchiveError.damaged("its tables compute something that is not allowed")) {
      try TileArchives.open(path).tile(at: whole)
    }
  }

  @Test(.timeLimit(.minutes(2)))
  func `a view that takes too many steps is given up`() throws {
    let path = try database(
      """
      CREATE TABLE metadata (name text, value text);
      CREATE TABLE n (x integer);
      WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 2000)
        INSERT INTO n SELECT x FROM c;
      INSERT INTO metadata VALUES ('minzoom', '0'), ('maxzoom', '3');
      CREATE VIEW tiles AS SELECT a.x + b.x + c.x AS zoom_level, 0 AS tile_column,
        0 AS tile_row, x'00' AS tile_data FROM n a, n b, n c;
      """)
    #expect(throws: ArchiveError.damaged("it takes too many steps to find a tile")) {
      try TileArchives.open(path).tile(at: whole)
    }
  }

  // MARK: Adding

  private func hex(_ bytes: [UInt8]) -> String {
    "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
  }

  private func add(_ path: String, area: TileArea? = nil) throws -> (any TileArchive, leftOut: Int)
  {
    let streets = StreetFolder(path: folder.path + "/streets")
    let name = try #require(StreetName("made"))
    let leftOut = try streets.add(MBTilesArchive(path: path), area: area, as: name)
    return (try streets.archive(name), leftOut)
  }

  @Test func `tiles of zlib, gzip and none are added, one that cannot be read is left out`()
    throws
  {
    let tiles = (0..<4).map { VectorTileSample.road(padding: [UInt8($0)]) }
    let path = try database(
      tables + "INSERT INTO tiles VALUES "
        + "(2, 0, 3, \(hex(try ArchiveFixtures.zlib(tiles[0])))), (2, 1, 3, \(hex(tiles[1]))), "
        + "(2, 2, 3, \(hex(try Gzip.packed(tiles[2])))), (2, 3, 3, x'ffff'), (2, 0, 2, x'');")
    let (archive, leftOut) = try add(path)
    #expect(leftOut == 1)
    for x in 0..<3 {
      #expect(try archive.tile(at: ArchiveFixtures.address(2, x, 0)) == tiles[x])
    }
    #expect(try archive.tile(at: ArchiveFixtures.address(2, 3, 0)) == nil)
    #expect(try archive.tile(at: ArchiveFixtures.address(2, 0, 1)) == [])
    let source = try TileArchives.open(path)
    #expect(try source.tile(at: ArchiveFixtures.address(2, 0, 0)) == tiles[0])
  }

  @Test func `pictures without a format are refused when they are added`() throws {
    let path = try database(
      tables + "INSERT INTO tiles VALUES (0, 0, 0, x'89504e470d0a1a0a');")
    #expect(throws: ArchiveError.tileKind("PNG images")) { try add(path) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/streets") == [])
  }

  /// What the table of metadata says of zooms does not hide tiles.
  @Test func `all zooms that the tiles have are added`() throws {
    let tile = hex(VectorTileSample.road())
    let path = try database(
      tables + "INSERT INTO metadata VALUES ('minzoom', '3'), ('maxzoom', '3');"
        + "INSERT INTO tiles VALUES (3, 0, 0, \(tile)), (5, 0, 0, \(tile)), (99, 0, 0, \(tile));")
    let (archive, _) = try add(path)
    #expect((archive.info.minimumZoom, archive.info.maximumZoom) == (3, 5))
  }

  /// A search for each tile would take the square: minutes.
  @Test(.timeLimit(.minutes(1)), arguments: [false, true])
  func `a table without an index is read once`(isCut: Bool) throws {
    let tile = hex(try Gzip.packed(VectorTileSample.road()))
    let path = try database(
      tables
        + """
        WITH RECURSIVE c(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM c WHERE x < 59999)
          INSERT INTO tiles SELECT 14, 8000 + x % 300, 8000 + x / 300, \(tile) FROM c;
        """)
    let (archive, _) = try add(path, area: isCut ? TileArea(.world) : nil)
    #expect(archive.info.tileCount == 60_000)
    #expect((archive.info.minimumZoom, archive.info.maximumZoom) == (14, 14))
  }

  @Test func `with an index an area is looked up`() throws {
    let tile = hex(VectorTileSample.road())
    let path = try database(
      tables + "CREATE UNIQUE INDEX i ON tiles (zoom_level, tile_column, tile_row);"
        + "INSERT INTO tiles VALUES (1, 0, 0, \(tile)), (1, 1, 0, \(tile)), (1, 1, 1, \(tile));")
    let area = try #require(GeoBounds(west: 1, south: 1, east: 2, north: 2))
    let (archive, _) = try add(path, area: TileArea(area))
    #expect(archive.info.tileCount == 1)
    #expect(try archive.tile(at: ArchiveFixtures.address(1, 1, 0)) != nil)
  }

  @Test func `a value beyond the bound is refused`() throws {
    let path = try database(tables + "INSERT INTO tiles VALUES (0, 0, 0, zeroblob(9000000))")
    #expect(throws: ArchiveError.tooLarge("A tile")) { try TileArchives.open(path).tile(at: whole) }
  }
}
