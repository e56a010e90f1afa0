import Foundation
import RallyMap
import Testing

@testable import RallyStreets

@Suite struct TileArchivesTests {
  @Test func `every tile of Monaco is the same in both formats`() throws {
    let packed = try TileArchives.open(ArchiveFixtures.path("monaco.pmtiles"))
    let tables = try TileArchives.open(ArchiveFixtures.path("monaco.mbtiles"))
    let addresses = try ArchiveFixtures.monaco()
    #expect(addresses.count == 23)
    var total = 0
    for address in addresses {
      let tile = try #require(try packed.tile(at: address))
      #expect(try tables.tile(at: address) == tile)
      total += tile.count
    }
    #expect(total > 300_000)
    let elsewhere = ArchiveFixtures.address(14, 0, 0)
    #expect(try packed.tile(at: elsewhere) == nil)
    #expect(try tables.tile(at: elsewhere) == nil)
  }

  @Test func `an archive says where it is and what is in it`() throws {
    let packed = try TileArchives.open(ArchiveFixtures.path("monaco.pmtiles")).info
    let tables = try TileArchives.open(ArchiveFixtures.path("monaco.mbtiles")).info
    #expect(packed.name == "Tilemaker to OpenMapTiles schema")
    #expect(
      packed.bounds == GeoBounds(west: 7.4, south: 43.715, east: 7.45, north: 43.76))
    #expect((packed.minimumZoom, packed.maximumZoom) == (0, 14))
    #expect(packed.tileCount == 23)
    #expect(packed.format == .pmtiles)
    #expect(packed.layers.contains("transportation_name"))
    #expect(tables.bounds == packed.bounds)
    #expect(tables.name == packed.name)
    #expect(tables.layers == packed.layers)
    #expect((tables.minimumZoom, tables.maximumZoom) == (0, 14))
    #expect(tables.format == .mbtiles)
  }

  @Test(arguments: ["test_fixture_1", "test_fixture_2"])
  func `an archive that is not clustered is read`(name: String) throws {
    let archive = try PMTilesArchive(path: ArchiveFixtures.path("archives/\(name).pmtiles"))
    #expect(!archive.header.isClustered)
    #expect(try archive.tile(at: ArchiveFixtures.address(0, 0, 0))?.isEmpty == false)
    #expect(archive.info.layers == ["\(name)pmtiles"])
  }

  @Test(arguments: [
    ("empty", ArchiveError.notAnArchive), ("invalid", .notAnArchive), ("invalid_v4", .version(4)),
  ])
  func `another file is refused with its reason`(name: String, error: ArchiveError) {
    #expect(throws: error) {
      try TileArchives.open(ArchiveFixtures.path("archives/\(name).pmtiles"))
    }
  }

  @Test(arguments: [
    (97, 3, ArchiveError.compression("brotli")), (97, 0, .compression("an unknown method")),
    (98, 4, .compression("zstd")), (99, 2, .tileKind("PNG images")),
    (99, 6, .tileKind("MapLibre tiles")),
  ])
  func `what is not supported is named`(offset: Int, value: UInt8, error: ArchiveError) throws {
    let folder = try ArchiveFolder()
    var bytes = try ArchiveFixtures.bytes("monaco.pmtiles")
    bytes[offset] = value
    let path = try folder.file("other.pmtiles", bytes)
    #expect(throws: error) { try TileArchives.open(path) }
  }

  @Test func `a path without a regular file is refused at once`() throws {
    let folder = try ArchiveFolder()
    let pipe = folder.path + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    for path in [pipe, folder.path, folder.path + "/nothing"] {
      let error = #expect(throws: ArchiveError.self) { try TileArchives.open(path) }
      guard case .file = error else {
        Issue.record("\(path): \(String(describing: error))")
        continue
      }
    }
  }

  @Test(arguments: ["monaco.pmtiles", "monaco.mbtiles"])
  func `an archive that is cut short fails with a sentence`(name: String) throws {
    let folder = try ArchiveFolder()
    let bytes = try ArchiveFixtures.bytes(name)
    let addresses = try ArchiveFixtures.monaco()
    for length in [0, 5, 8, 40, 126, 127, 200, 600, 4_096, 50_000, bytes.count - 1] {
      let path = try folder.file("cut", Array(bytes[..<length]))
      let error = #expect(throws: ArchiveError.self) {
        let archive = try TileArchives.open(path)
        for address in addresses { _ = try archive.tile(at: address) }
      }
      #expect(error?.sentence.hasSuffix(".") == true)
    }
  }

  @Test(arguments: ["monaco.pmtiles", "monaco.mbtiles"])
  func `an archive that shrinks while it is open is reported as changed`(name: String) throws {
    let folder = try ArchiveFolder()
    let path = try folder.file(name, ArchiveFixtures.bytes(name))
    let archive = try TileArchives.open(path)
    #expect(truncate(path, 20_000) == 0)
    let errors = try ArchiveFixtures.monaco().compactMap { address -> ArchiveError? in
      do throws(ArchiveError) {
        _ = try archive.tile(at: address)
        return nil
      } catch { return error }
    }
    #expect(!errors.isEmpty)
    #expect(Set(errors) == [.vanished])
  }

  @Test(arguments: ["monaco.pmtiles", "monaco.mbtiles"])
  func `several tasks read one archive at once`(name: String) async throws {
    let archive = try TileArchives.open(ArchiveFixtures.path(name))
    let addresses = try ArchiveFixtures.monaco()
    let alone = try Dictionary(
      uniqueKeysWithValues: addresses.map { ($0, try archive.tile(at: $0)) })
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask { try addresses.allSatisfy { try archive.tile(at: $0) == alone[$0] } }
      }
      for try await isSame in group { #expect(isSame) }
    }
  }
}
