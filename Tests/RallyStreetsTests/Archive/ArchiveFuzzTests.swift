import Foundation
import RallyMap
import Testing

@testable import RallyStreets

/// Damaged archives: no crash, no endless loop, no more than 64 MiB.
@Suite(.serialized) struct ArchiveFuzzTests {
  private let folder: ArchiveFolder

  init() throws { folder = try ArchiveFolder() }

  /// Reads all of Monaco from a file; the errors do not matter.
  private func read(_ bytes: [UInt8]) throws {
    let path = try folder.file("damaged", bytes)
    guard let archive = try? TileArchives.open(path) else { return }
    for address in try Self.monaco.get() {
      let tile = try? archive.tile(at: address)
      #expect((tile?.count ?? 0) <= TileLimits.unpackedTile)
    }
    #expect(archive.info.name.count <= 80)
  }

  private static let monaco = Result { try ArchiveFixtures.monaco() }

  @Test(.timeLimit(.minutes(5)))
  func `a PMTiles archive may be damaged anywhere`() throws {
    let before = Self.peakMemory
    let original = try ArchiveFixtures.bytes("monaco.pmtiles")
    var noise = ArchiveNoise(seed: 11)
    for round in 0..<250 {
      var bytes = original
      // The header and the directory, and from time to time anything.
      let reach = round % 4 == 0 ? bytes.count : 260
      for _ in 0...noise.below(6) {
        let offset = round % 4 == 3 ? 7 + noise.below(96) : noise.below(reach)
        bytes[offset] = [0, 1, 0x7F, 0x80, 0xFF, UInt8(noise.below(256))][noise.below(6)]
      }
      if round % 5 == 0 { bytes.removeLast(noise.below(bytes.count)) }
      try read(bytes)
    }
    #expect(Self.peakMemory - before < 64 << 20)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a PMTiles directory may say anything`() throws {
    let before = Self.peakMemory
    var noise = ArchiveNoise(seed: 12)
    let original = try ArchiveFixtures.bytes("monaco.pmtiles")
    for _ in 0..<300 {
      // Uncompressed directories, so that the damage is in what they say.
      var header = try PMTilesHeader(original)
      header.compression = .none
      var directory: [UInt8] = []
      let count = noise.below(30)
      directory.append(varint: UInt64(noise.below(3) == 0 ? noise.below(1 << 40) : count))
      for _ in 0..<count * 4 {
        let value = noise.below(8) == 0 ? noise.next() >> UInt64(noise.below(64)) : 0
        directory.append(varint: value == 0 ? UInt64(noise.below(4)) : value)
      }
      header.root = .init(offset: 127, length: UInt64(directory.count))
      header.metadata = .init(offset: 0, length: 0)
      header.leaves = .init(offset: 127, length: UInt64(directory.count))
      header.tiles = .init(offset: UInt64(noise.below(300)), length: 5_000)
      try read(header.encoded + directory + original[1_000..<7_000])
    }
    #expect(Self.peakMemory - before < 64 << 20)
  }

  @Test(.timeLimit(.minutes(5)))
  func `an MBTiles archive may be damaged anywhere`() throws {
    let before = Self.peakMemory
    let original = try ArchiveFixtures.bytes("monaco.mbtiles")
    var noise = ArchiveNoise(seed: 13)
    for round in 0..<60 {
      var bytes = original
      let reach = round % 2 == 0 ? bytes.count : 8_192
      for _ in 0...noise.below(20) {
        bytes[16 + noise.below(reach - 16)] = UInt8(noise.below(256))
      }
      if round % 5 == 0 { bytes.removeLast(noise.below(bytes.count)) }
      try read(bytes)
    }
    #expect(Self.peakMemory - before < 64 << 20)
  }

  /// The most memory this process has used, in bytes; it never falls.
  private static var peakMemory: Int {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    #else
      getrusage(RUSAGE_SELF.rawValue, &usage)
      return usage.ru_maxrss << 10
    #endif
  }
}
