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

  /// A square of tiles at zoom 10 with leaf directories, tiles of up to 4 kB.
  private func square() throws -> (bytes: [UInt8], tiles: [TileAddress: [UInt8]]) {
    var noise = ArchiveNoise(seed: 5)
    let path = folder.path + "/square"
    let writer = try PMTilesWriter(
      path: path, bounds: .world, metadata: Array(#"{"attribution":"us"}"#.utf8), isPacked: false)
    var tiles: [TileAddress: [UInt8]] = [:]
    for x in 0..<256 {
      for y in 128..<256 {
        let address = ArchiveFixtures.address(9, x, y)
        tiles[address] = noise.bytes(4) + Array(repeating: 0, count: noise.below(400))
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
    let extract = try await PMTilesExtract(of: source, area: area)
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
    let whole = try await PMTilesExtract(of: source, area: area)
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
    try await streets.add(PMTilesExtract(of: source, area: area), as: name)
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
    for index in 773..<bytes.count { bytes[index] = 0x20 }
    source.change(bytes, version: "1")
    await #expect(throws: ArchiveError.damaged("a tile is no gzip")) {
      try await streets.add(extract, as: name)
    }
    #expect(folder.names == [])
  }

  @Test func `an area without tiles, MBTiles from afar, and a short file are sentences`()
    async throws
  {
    let monaco = CountingSource(try ArchiveFixtures.bytes("monaco.pmtiles"))
    let lisbon = GeoBounds(west: -9.3, south: 38.6, east: -9, north: 38.9)
    await #expect(throws: ArchiveError.nothingThere) {
      try await PMTilesExtract(of: monaco, area: lisbon)
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
      try? await streets.add(extract, as: name)
      #expect(source.fetched <= 3 * original.count)
      _ = try streets.remove(name)
    }
  }
}
