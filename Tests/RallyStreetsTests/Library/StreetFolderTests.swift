import Foundation
import RallyMap
import Testing

@testable import RallyStreets

@Suite struct StreetFolderTests {
  private let folder: ArchiveFolder
  private var streets: StreetFolder { StreetFolder(path: folder.path + "/streets") }
  private let monaco: StreetName

  init() throws {
    folder = try ArchiveFolder()
    monaco = try #require(StreetName("monaco"))
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func `a folder that cannot be read is no empty one, one that is not there is`() throws {
    #expect(streets.problem == nil)
    try Data().write(to: URL(filePath: streets.path))
    #expect(streets.problem != nil)
    #expect(streets.entries().isEmpty)
  }

  @Test func `an MBTiles archive is added as PMTiles, private to its owner`() throws {
    let source = try MBTilesArchive(path: ArchiveFixtures.path("monaco.mbtiles"))
    try streets.add(source, area: nil, as: monaco)
    let added = try streets.archive(monaco)
    #expect(added.info.format == .pmtiles)
    #expect(added.info.layers == source.info.layers)
    #expect(added.info.bounds == source.info.bounds)
    for address in try ArchiveFixtures.monaco() {
      #expect(try added.tile(at: address) == source.tile(at: address))
    }
    #expect(try mode(streets.path) == 0o700)
    #expect(try mode(streets.path(of: monaco)) == 0o600)
  }

  @Test func `an area of an MBTiles archive has its tiles alone`() throws {
    let source = try MBTilesArchive(path: ArchiveFixtures.path("monaco.mbtiles"))
    let area = try #require(GeoBounds(west: 7.401, south: 43.72, east: 7.402, north: 43.721))
    try streets.add(source, area: TileArea(area), as: monaco)
    let added = try streets.archive(monaco)
    var count = 0
    for address in try ArchiveFixtures.monaco() {
      let isWanted =
        area.columns(zoom: address.zoom).contains(address.x)
        && area.rows(zoom: address.zoom).contains(address.y)
      #expect(try added.tile(at: address) == (isWanted ? source.tile(at: address) : nil))
      if isWanted { count += 1 }
    }
    #expect(count < 23)
    #expect(added.info.tileCount == count)
  }

  @Test func `too little room is told before anything is fetched`() async throws {
    var streets = streets
    streets.freeBytes = { _ in 100_000 }
    let extract = try await PMTilesExtract(
      of: LocalByteRanges(path: ArchiveFixtures.path("monaco.pmtiles")), area: nil)
    await #expect(
      throws: ArchiveError.noRoom(needed: 2 * extract.byteCount + (1 << 20), free: 100_000)
    ) { try await streets.add(extract, as: monaco) }
    #expect(streets.entries().isEmpty)
    streets.freeBytes = { _ in .max }
    try await streets.add(extract, as: monaco)
    #expect(streets.names == [monaco])
  }

  @Test func `archives are listed by name, damaged and unfinished ones too`() throws {
    #expect(streets.entries().isEmpty)
    try streets.add(
      MBTilesArchive(path: ArchiveFixtures.path("monaco.mbtiles")), area: nil, as: monaco)
    for (file, text) in [
      ("bad.pmtiles", "no"), ("zoe.part", "x"), ("UPPER.pmtiles", ""), ("x", ""),
    ] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(streets.path)/\(file)"))
    }
    let entries = streets.entries()
    #expect(entries.map(\.name.description) == ["bad", "monaco", "zoe"])
    #expect(entries[0].info == .failure(.notAnArchive))
    #expect(try entries[1].info?.get().maximumZoom == 14)
    #expect(entries[2].info == nil)
    #expect(streets.names.map(\.description) == ["bad", "monaco"])
  }

  @Test func `a removed archive is gone, and one that is in use can be read on`() throws {
    try streets.add(
      MBTilesArchive(path: ArchiveFixtures.path("monaco.mbtiles")), area: nil, as: monaco)
    let open = try streets.archive(monaco)
    #expect(try streets.remove(monaco))
    #expect(try !streets.remove(monaco))
    #expect(streets.entries().isEmpty)
    #expect(try open.tile(at: ArchiveFixtures.address(0, 0, 0)) != nil)
  }

  @Test func `what a killed program left behind goes with the next change`() async throws {
    func leave() throws {
      try FileManager.default.createDirectory(
        atPath: streets.path, withIntermediateDirectories: true)
      for file in ["monaco.pmtiles.AbC123", "monaco-2.pmtiles.AbC123"] {
        try Data([1]).write(to: URL(fileURLWithPath: "\(streets.path)/\(file)"))
      }
    }
    var names: [String] {
      (try? FileManager.default.contentsOfDirectory(atPath: streets.path))?.sorted() ?? []
    }
    try leave()
    #expect(try !streets.remove(monaco))
    #expect(names == ["monaco-2.pmtiles.AbC123"])
    try leave()
    let source = try LocalByteRanges(path: ArchiveFixtures.path("monaco.pmtiles"))
    try await streets.add(PMTilesExtract(of: source, area: nil), as: monaco)
    #expect(names == ["monaco-2.pmtiles.AbC123", "monaco.pmtiles"])
  }

  @Test(arguments: ["", "-a", "Lisbon", "a b", "../a", "ä", String(repeating: "a", count: 33)])
  func `what cannot be a file's name is no name`(text: String) {
    #expect(StreetName(text) == nil)
  }

  @Test(arguments: [
    ("São Paulo", "sao-paulo"), ("monaco.pmtiles", "monaco-pmtiles"), ("  A__B ", "a-b"),
    ("Québec (ville)", "quebec-ville"),
  ])
  func `a name is made of a city's`(text: String, name: String) {
    #expect(StreetName(from: text)?.description == name)
  }

  @Test func `no name is made of what has no letters of ours`() {
    #expect(StreetName(from: "東京") == nil)
  }
}
