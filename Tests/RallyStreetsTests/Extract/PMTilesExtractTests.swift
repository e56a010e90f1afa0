import Foundation
import RallyMap
import Testing

@testable import RallyStreets

@Suite struct PMTilesExtractTests {
  private let folder: ArchiveFolder
  private var streets: StreetFolder { StreetFolder(path: folder.path) }
  private let name: StreetName

  init() throws {
    folder = try ArchiveFolder()
    name = try #require(StreetName("made"))
  }

  /// A square of tiles at zoom 10 with leaf directories, tiles of up to half a kB.
  private func square() throws -> (bytes: [UInt8], tiles: [TileAddress: [UInt8]]) {
    var noise = ArchiveNoise(seed: 5)
    let path = folder.path + "/square"
    let writer = try PMTilesWriter(
      path: path, bounds: .world, metadata: Array(#"{"attribution":"us"}"#.utf8), isPacked: false)
    var tiles: [TileAddress: [UInt8]] = [:]
    for x in 0..<256 {
      for y in 128..<256 {
        let address = ArchiveFixtures.address(9, x, y)
        tiles[address] = VectorTileSample.road(
          padding: noise.bytes(4) + Array(repeating: 0, count: noise.below(400)))
        try writer.add(address, tiles[address] ?? [])
      }
    }
    try writer.finish()
    return (Array(try Data(contentsOf: URL(fileURLWithPath: path))), tiles)
  }

  @Test func `all of an archive is the archive`() async throws {
    let source = try LocalByteRanges(path: ArchiveFixtures.path("monaco.pmtiles"))
    try await streets.add(PMTilesExtract(of: source, area: nil), as: name)
    let copy = try streets.archive(name)
    let original = try PMTilesArchive(path: ArchiveFixtures.path("monaco.pmtiles"))
    #expect(copy.info == original.info)
    for address in try ArchiveFixtures.monaco() {
      #expect(try copy.tile(at: address) == original.tile(at: address))
    }
    #expect(folder.names == ["made.pmtiles"])
  }

  @Test(arguments: [
    (-170.0, 20.0, -100.0, 70.0), (-60.0, 1.0, -50.0, 9.0), (-179.9, 0.1, -179.7, 0.2),
  ])
  func `an area has its tiles for at most 5 percent more bytes`(
    west: Double, south: Double, east: Double, north: Double
  ) async throws {
    let (bytes, tiles) = try square()
    let area = try #require(GeoBounds(west: west, south: south, east: east, north: north))
    let source = CountingSource(bytes)
    let extract = try await PMTilesExtract(of: source, area: TileArea(area))
    let surveyed = source.fetched
    source.restart()
    try await streets.add(extract, as: name)
    let made = try PMTilesArchive(path: streets.path(of: name))
    var needed = 0
    for (address, bytes) in tiles {
      let isWanted =
        area.columns(zoom: 9).contains(address.x) && area.rows(zoom: 9).contains(address.y)
      #expect(try made.tile(at: address) == (isWanted ? bytes : nil))
      if isWanted { needed += bytes.count }
    }
    #expect(made.info.attribution == "us")
    #expect(made.info.bounds == area)
    #expect(made.info.tileCount == extract.tileCount)
    #expect(source.fetched <= needed + max(needed / 20 - surveyed, 0))
    // One request a tile would be as exact, and slow.
    #expect(source.requests < max(extract.tileCount / 4, 5))
  }

  @Test func `what was fetched before a cut is not fetched again`() async throws {
    let (bytes, _) = try square()
    let source = CountingSource(bytes)
    let area = try #require(GeoBounds(west: -100, south: 10, east: -40, north: 60))
    let whole = try await PMTilesExtract(of: source, area: TileArea(area))
    source.restart()
    try await streets.add(whole, as: name)
    let (all, requests) = (source.fetched, source.requests)
    let expected = try Data(contentsOf: URL(fileURLWithPath: streets.path(of: name)))
    #expect(try streets.remove(name))

    source.restart(failingAfter: requests / 2)
    await #expect(throws: CountingSource.Cut()) { try await streets.add(whole, as: name) }
    let first = source.fetched
    #expect(streets.names.isEmpty)
    #expect(streets.entries().map { $0.info == nil } == [true])
    source.restart()
    try await streets.add(PMTilesExtract(of: source, area: TileArea(area)), as: name)
    #expect(source.fetched - Int(whole.surveyed) + first == all)
    #expect(try Data(contentsOf: URL(fileURLWithPath: streets.path(of: name))) == expected)
    #expect(!folder.names.contains("made.part"))
  }

  @Test func `another version of the source starts anew`() async throws {
    let (bytes, _) = try square()
    let source = CountingSource(bytes)
    let whole = try await PMTilesExtract(of: source, area: nil)
    source.restart(failingAfter: 2)
    await #expect(throws: CountingSource.Cut()) { try await streets.add(whole, as: name) }
    source.change(bytes, version: "2")
    source.restart()
    let again = try await PMTilesExtract(of: source, area: nil)
    source.restart()
    try await streets.add(again, as: name)
    #expect(source.fetched == Int(again.byteCount))
  }

  @Test func `only one program fetches under a name at a time`() async throws {
    let source = CountingSource(try ArchiveFixtures.bytes("monaco.pmtiles"))
    let extract = try await PMTilesExtract(of: source, area: nil)
    let partial = try PartialExtract(path: folder.path + "/made.part", of: extract)
    await #expect(throws: ArchiveError.file("another program is writing to it")) {
      try await streets.add(extract, as: name)
    }
    withExtendedLifetime(partial) {}
  }

  @Test func `bytes that are no tiles are not kept`() async throws {
    var bytes = try ArchiveFixtures.bytes("monaco.pmtiles")
    let source = CountingSource(bytes)
    let extract = try await PMTilesExtract(of: source, area: nil)
    for index in 773..<bytes.count { bytes[index] = 0xFF }
    source.change(bytes, version: "1")
    await #expect(throws: ArchiveError.damaged("none of its tiles is a vector tile")) {
      try await streets.add(extract, as: name)
    }
    #expect(folder.names == [])
  }

  /// An archive of a row of tiles, as they are given.
  private func archive(
    _ tiles: [[UInt8]], isPacked: Bool = true, change: (inout PMTilesHeader) -> Void = { _ in }
  ) throws -> CountingSource {
    var (directory, content) = (PMTilesDirectory([]), [UInt8]())
    directory = PMTilesDirectory(
      ContiguousArray(
        tiles.enumerated().map { index, tile in
          defer { content += tile }
          return .init(
            number: ArchiveFixtures.address(14, 0, 0).number + UInt64(index),
            offset: UInt64(content.count), length: UInt32(tile.count), run: 1)
        }))
    let root = try Gzip.packed(directory.encoded)
    var header = PMTilesHeader(bounds: .world, tileCompression: isPacked ? .gzip : .none)
    (header.minimumZoom, header.maximumZoom) = (14, 14)
    header.root = .init(offset: 127, length: UInt64(root.count))
    header.metadata = .init(offset: header.root.end, length: 0)
    header.leaves = .init(offset: header.root.end, length: 0)
    header.tiles = .init(offset: header.root.end, length: UInt64(content.count))
    change(&header)
    return CountingSource(header.encoded + root + content)
  }

  private func tile(_ index: Int) -> [UInt8] { VectorTileSample.road(padding: [UInt8(index)]) }

  /// What the made archive has at the places of the row.
  private func made(_ count: Int) throws -> [[UInt8]?] {
    let archive = try PMTilesArchive(path: streets.path(of: name))
    let numbers = (0..<count).map { ArchiveFixtures.address(14, 0, 0).number + UInt64($0) }
    var found: [UInt64: [UInt8]] = [:]
    for x in 0..<8 {
      for y in 0..<8 {
        let address = ArchiveFixtures.address(14, x, y)
        found[address.number] = try archive.tile(at: address)
      }
    }
    return numbers.map { found[$0] }
  }

  @Test func `tiles that are stored otherwise than the archive says are brought to it`()
    async throws
  {
    let zlib = try ArchiveFixtures.zlib(tile(2))
    let source = try archive([
      Gzip.packed(tile(0)), tile(1), zlib, [], Gzip.packed(tile(4)), tile(1),
    ])
    let leftOut = try await streets.add(PMTilesExtract(of: source, area: nil), as: name)
    #expect(leftOut == 0)
    #expect(try made(6) == [tile(0), tile(1), tile(2), [], tile(4), tile(1)])
    let archive = try PMTilesArchive(path: streets.path(of: name))
    for entry in archive.root.entries {
      let stored = try ArchiveFixtures.stored(entry, of: archive, at: streets.path(of: name))
      #expect(TilePacking(of: stored) == .gzip)
    }
  }

  @Test func `tiles of gzip in an archive that says it packs none are read and added`()
    async throws
  {
    let packed = try (0..<3).map { try Gzip.packed(tile($0)) }
    let source = try archive(packed + [tile(3)], isPacked: false)
    try await streets.add(PMTilesExtract(of: source, area: nil), as: name)
    #expect(try PMTilesArchive(path: streets.path(of: name)).header.tileCompression == .gzip)
    #expect(try made(4) == (0..<4).map(tile))
    let plain = try archive([tile(0), packed[1], []], isPacked: false)
    try await streets.add(PMTilesExtract(of: plain, area: nil), as: name)
    #expect(try PMTilesArchive(path: streets.path(of: name)).header.tileCompression == .none)
    #expect(try made(2) == [tile(0), tile(1)])
    #expect(try made(3)[2].map { try VectorTileSample.layerCount($0) } == 0)
  }

  @Test func `a tile that cannot be read is left out and counted, and costs no other`()
    async throws
  {
    let good = try (0..<3).map { try Gzip.packed(tile($0)) }
    let cut = Array(good[0].dropLast(9))
    let source = try archive(
      [good[0], cut, good[1], [0xFF, 0xFF, 0xFF, 0xFF], cut, good[2]])
    let leftOut = try await streets.add(PMTilesExtract(of: source, area: nil), as: name)
    #expect(leftOut == 3)
    #expect(try made(6) == [tile(0), nil, tile(1), nil, nil, tile(2)])
    #expect(try streets.archive(name).info.tileCount == 3)
    #expect(folder.names == ["made.pmtiles"])
  }

  @Test func `an archive of which no tile can be drawn is refused with the reason`() async throws {
    let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    let cases: [([[UInt8]], ArchiveError)] = [
      ([picture, picture + [1]], .tileKind("PNG images")),
      ([[0xFF, 0xD8, 0xFF, 0xE0]], .tileKind("JPEG images")),
      ([[0xFF, 0xFF, 0xFF]], .damaged("none of its tiles is a vector tile")),
      ([try Gzip.packed(VectorTileSample.road(layer: "seamarks"))], .schema(["seamarks"])),
      ([try Gzip.packed([])], .nothingThere),
    ]
    for (tiles, error) in cases {
      let source = try archive(tiles)
      await #expect(throws: error) {
        try await streets.add(PMTilesExtract(of: source, area: nil), as: name)
      }
      #expect(folder.names == [])
    }
  }

  @Test func `what cannot be read is not fetched to its end`() async throws {
    let tiles = (0..<40).map { [UInt8](repeating: 0xFF, count: 300_000 + $0) }
    let source = try archive(tiles)
    let extract = try await PMTilesExtract(of: source, area: nil)
    source.restart()
    await #expect(throws: ArchiveError.self) { try await streets.add(extract, as: name) }
    #expect(source.fetched < 8_000_000)
  }

  @Test func `an archive may leave open how its tiles are made`()
    async throws
  {
    let packed = try Gzip.packed(tile(0))
    var bytes = try await Self.all(archive([packed], isPacked: false))
    (bytes[98], bytes[99]) = (0, 0)
    try await streets.add(PMTilesExtract(of: CountingSource(bytes), area: nil), as: name)
    #expect(try made(1) == [tile(0)])
  }

  private static func all(_ source: CountingSource) async throws -> [UInt8] {
    try await source.bytes(0..<source.length())
  }

  @Test func `an area without tiles, MBTiles from afar, and a short file are sentences`()
    async throws
  {
    let monaco = CountingSource(try ArchiveFixtures.bytes("monaco.pmtiles"))
    let lisbon = try #require(GeoBounds(west: -9.3, south: 38.6, east: -9, north: 38.9))
    await #expect(throws: ArchiveError.nothingThere) {
      try await PMTilesExtract(of: monaco, area: TileArea(lisbon))
    }
    let tables = CountingSource(try ArchiveFixtures.bytes("monaco.mbtiles"))
    await #expect(throws: ArchiveError.onlyLocal) {
      try await PMTilesExtract(of: tables, area: nil)
    }
    let short = CountingSource(Array(try ArchiveFixtures.bytes("monaco.pmtiles").dropLast()))
    await #expect(throws: ArchiveError.damaged("it ends before something that it points to")) {
      try await PMTilesExtract(of: short, area: nil)
    }
    await #expect(throws: ArchiveError.notAnArchive) {
      try await PMTilesExtract(of: CountingSource([]), area: nil)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `an archive from afar may be damaged anywhere`() async throws {
    let original = try ArchiveFixtures.bytes("monaco.pmtiles")
    var noise = ArchiveNoise(seed: 6)
    for round in 0..<150 {
      var bytes = original
      for _ in 0...noise.below(4) {
        bytes[7 + noise.below(round % 2 == 0 ? 96 : 250)] = UInt8(noise.below(256))
      }
      let source = CountingSource(bytes)
      guard let extract = try? await PMTilesExtract(of: source, area: nil) else { continue }
      _ = try? await streets.add(extract, as: name)
      #expect(source.fetched <= 3 * original.count)
      _ = try streets.remove(name)
    }
  }
}
