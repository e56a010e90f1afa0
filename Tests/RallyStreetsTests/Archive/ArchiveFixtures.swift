import CZlib
import Foundation
import RallyMap

@testable import RallyStreets

/// The archives among the fixtures, and folders for those that a test makes.
enum ArchiveFixtures {
  static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures").path

  static func path(_ name: String) -> String { folder + "/" + name }

  static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  static func address(_ zoom: Int, _ x: Int, _ y: Int) -> TileAddress {
    guard let address = TileAddress(zoom: zoom, x: x, y: y) else {
      fatalError("\(zoom)/\(x)/\(y) is no tile")
    }
    return address
  }

  /// The 23 tiles of Monaco.
  static func monaco() throws -> Set<TileAddress> {
    var addresses: Set<TileAddress> = []
    try MBTilesArchive(path: path("monaco.mbtiles")).forEachTile(in: nil, most: 100) {
      addresses.insert($0)
      _ = $1
    }
    return addresses
  }
}

extension ArchiveFixtures {
  /// Bytes as older programs pack them: RFC 1950.
  static func zlib(_ bytes: [UInt8]) throws -> [UInt8] {
    var count = compressBound(uLong(bytes.count))
    var packed = [UInt8](repeating: 0, count: Int(count))
    guard compress(&packed, &count, bytes, uLong(bytes.count)) == Z_OK else {
      throw ArchiveError.file("zlib")
    }
    return Array(packed.prefix(Int(count)))
  }

  /// The bytes of a tile in the file of an archive.
  static func stored(
    _ entry: PMTilesDirectory.Entry, of archive: PMTilesArchive, at path: String
  ) throws -> [UInt8] {
    let start = Int(archive.header.tiles.offset + entry.offset)
    let file = try Data(contentsOf: URL(fileURLWithPath: path))
    return Array(file[start..<start + Int(entry.length)])
  }
}

/// A folder that is removed with the last reference to it.
final class ArchiveFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "rally-archives-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file and returns its path.
  func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = path + "/" + name
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? []
  }
}

/// Seeded numbers (SplitMix64); `RALLY_TEST_SEED` shifts the seed.
struct ArchiveNoise: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    let shift = ProcessInfo.processInfo.environment["RALLY_TEST_SEED"].flatMap(UInt64.init) ?? 0
    state = seed &+ shift &* 1_000_003
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
  }
}
