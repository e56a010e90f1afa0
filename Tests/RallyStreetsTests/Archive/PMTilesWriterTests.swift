import Foundation
import RallyMap
import Testing

@testable import RallyStreets

@Suite struct PMTilesWriterTests {
  private let folder: ArchiveFolder
  private var path: String { folder.path + "/written.pmtiles" }

  init() throws { folder = try ArchiveFolder() }

  private func writer(isPacked: Bool = false) throws -> PMTilesWriter {
    try PMTilesWriter(
      path: path, bounds: .world, metadata: Array(#"{"attribution":"© somebody","x":[1]}"#.utf8),
      isPacked: isPacked)
  }

  @Test func `a copy of Monaco has its tiles and its description`() throws {
    let source = try PMTilesArchive(path: ArchiveFixtures.path("monaco.pmtiles"))
    let writer = try PMTilesWriter(
      path: path, bounds: source.info.bounds, metadata: source.metadata)
    for address in try ArchiveFixtures.monaco() {
      try writer.add(address, #require(try source.packedTile(at: address)))
    }
    try writer.finish()
    let copy = try PMTilesArchive(path: path)
    #expect(copy.info == source.info)
    #expect(copy.metadata == source.metadata)
    for address in try ArchiveFixtures.monaco() {
      #expect(try copy.tile(at: address) == source.tile(at: address))
    }
  }

  @Test func `equal tiles are stored once, and those in a row are one entry`() throws {
    let writer = try writer()
    for (x, y) in [(0, 0), (0, 1), (1, 1), (1, 0)] {
      try writer.add(ArchiveFixtures.address(1, x, y), [1, 2, 3])
    }
    try writer.add(ArchiveFixtures.address(0, 0, 0), [9])
    try writer.add(ArchiveFixtures.address(2, 3, 3), [1, 2, 3])
    try writer.add(ArchiveFixtures.address(2, 3, 3), [7])
    try writer.finish()
    let archive = try PMTilesArchive(path: path)
    #expect(archive.header.addressedTiles == 6)
    #expect(archive.header.entries == 3)
    #expect(archive.header.contents == 2)
    #expect(archive.header.tiles.length == 4)
    #expect((archive.info.minimumZoom, archive.info.maximumZoom) == (0, 2))
    #expect(archive.info.attribution == "© somebody")
    #expect(try archive.tile(at: ArchiveFixtures.address(2, 3, 3)) == [1, 2, 3])
    #expect(try archive.tile(at: ArchiveFixtures.address(1, 1, 0)) == [1, 2, 3])
    #expect(try archive.tile(at: ArchiveFixtures.address(0, 0, 0)) == [9])
  }

  @Test func `a directory that does not fit in the first 16 KiB has leaves`() throws {
    var noise = ArchiveNoise(seed: 1)
    let writer = try writer()
    var tiles: [TileAddress: [UInt8]] = [:]
    for x in 0..<256 {
      for y in 0..<128 where noise.below(4) > 0 {
        let address = ArchiveFixtures.address(10, x, y)
        tiles[address] = [0x1A] + noise.bytes(3) + Array(repeating: 0, count: noise.below(200))
      }
    }
    for (address, bytes) in tiles { try writer.add(address, bytes) }
    try writer.finish()
    let archive = try PMTilesArchive(path: path)
    #expect(!archive.root.entries.contains { !$0.isLeaf })
    #expect(archive.header.root.end <= PMTilesHeader.firstBytes)
    #expect(archive.info.tileCount == tiles.count)
    for x in 0..<257 {
      for y in 0..<129 {
        let address = ArchiveFixtures.address(10, x, y)
        #expect(try archive.tile(at: address) == tiles[address])
      }
    }
  }

  @Test func `bounds without any of the finest tiles give way to the box around these`() throws {
    let elsewhere = try #require(GeoBounds(west: 100, south: -40, east: 110, north: -30))
    func bounds(_ said: GeoBounds) throws -> GeoBounds {
      let writer = try PMTilesWriter(path: path, bounds: said, metadata: [], isPacked: false)
      try writer.add(ArchiveFixtures.address(0, 0, 0), [9])
      for (x, y) in [(2, 1), (3, 1)] { try writer.add(ArchiveFixtures.address(2, x, y), [1, 2]) }
      try writer.finish()
      return try PMTilesArchive(path: path).info.bounds
    }
    let box = try bounds(elsewhere)
    #expect((box.west, box.east, box.south) == (0, 180, 0))
    #expect(abs(box.north - 66.513) < 0.001)
    #expect(try bounds(.world) == .world)
    let inside = try #require(GeoBounds(west: 10, south: 20, east: 30, north: 40))
    #expect(try bounds(inside) == inside)
  }

  @Test func `an archive without tiles is one`() throws {
    try writer().finish()
    #expect(try PMTilesArchive(path: path).tile(at: ArchiveFixtures.address(0, 0, 0)) == nil)
  }

  @Test func `a bomb among the tiles is refused when it is read`() throws {
    let writer = try writer(isPacked: true)
    let bomb = try Gzip.packed([UInt8](repeating: 0, count: TileLimits.unpackedTile + 1))
    try writer.add(ArchiveFixtures.address(0, 0, 0), bomb)
    try writer.finish()
    let archive = try PMTilesArchive(path: path)
    #expect(throws: ArchiveError.tooLarge("A tile that unpacks to more bytes")) {
      try archive.tile(at: ArchiveFixtures.address(0, 0, 0))
    }
  }

  @Test func `nothing is seen before the end, nothing stays of what was given up`() throws {
    do {
      let writer = try writer()
      try writer.add(ArchiveFixtures.address(0, 0, 0), [1])
      #expect(folder.names == [])
    }
    #expect(folder.names == [])
    try writer().finish()
    #expect(folder.names == ["written.pmtiles"])
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
  }

  @Test func `a folder that cannot be written to is a sentence`() throws {
    let error = #expect(throws: ArchiveError.self) {
      try PMTilesWriter(path: folder.path + "/none/x.pmtiles", bounds: .world, metadata: [])
    }
    #expect(error?.sentence == "The file cannot be used: no such file or directory.")
  }
}
