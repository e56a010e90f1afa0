import Foundation
import RallyMap
import Testing

@testable import RallyStreets

@Suite struct VectorTileFuzzTests {
  /// Real tiles of some kilobytes, and a written one that has every kind of field.
  private static let seeds: [[UInt8]] = {
    let names = ["monaco-14-8528-5975", "monaco-14-8529-5975", "monaco-13-4264-2986"]
    let real = names.compactMap { try? StreetFixtures.tile($0) }
    let written = TileWriter.tile(
      TileWriter.Layer(
        name: "transportation_name", extent: 65_536,
        features: [
          (
            .line([(0, 0), (70_000, -9), (4, 4)]),
            ["class": .text("minor"), "name": .text("Rue"), "rank": .float(3)]
          ),
          (.point(3, 3), ["name": .truth(true), "class": .number(-1)]),
        ]),
      TileWriter.Layer(
        name: "building",
        features: [(.polygon([[(0, 0), (9, 0), (9, 9)], [(1, 1), (2, 2)]]), [:])]
      ))
    return real + [written]
  }()

  private static let seedName =
    "RALLY_TEST_SEED=\(ProcessInfo.processInfo.environment["RALLY_TEST_SEED"] ?? "0")"

  @Test func `no damage of a tile does more than throw`() throws {
    #expect(Self.seeds.count == 4)
    var noise = ArchiveNoise(seed: 15)
    for seed in Self.seeds {
      for round in 0..<1_500 {
        var bytes = seed
        for _ in 0...noise.below(6) { Self.damage(&bytes, &noise) }
        try Self.read(bytes, "round \(round) of a tile of \(seed.count) bytes")
      }
    }
  }

  @Test func `a tile may end anywhere`() throws {
    for seed in Self.seeds {
      for length in stride(from: 0, to: seed.count, by: max(seed.count / 500, 1)) {
        try Self.read(Array(seed.prefix(length)), "the first \(length) bytes")
      }
    }
  }

  @Test func `every byte of a small tile may have any bit turned`() throws {
    let seed = try #require(Self.seeds.last)
    for index in seed.indices {
      for bit in 0..<8 {
        var bytes = seed
        bytes[index] ^= 1 << bit
        try Self.read(bytes, "bit \(bit) of byte \(index)")
      }
    }
  }

  @Test func `a large tile of the smallest parts stays small`() throws {
    // Given features of 8 bytes, keys and values of as few bytes as can be.
    let point = TileWriter.message(2, [3 << 3, 2, 4 << 3 | 2, 6, 9, 0, 0, 10, 2, 2])
    let parts: [[UInt8]] = [
      TileWriter.message(3, []), TileWriter.message(4, [7 << 3, 1]), point,
      TileWriter.message(2, []),
    ]
    for part in parts {
      var layer = TileWriter.message(1, Array("transportation".utf8)) + [15 << 3, 2]
      layer += TileWriter.message(
        2, [2 << 3 | 2, 2, 0, 0, 3 << 3, 2, 4 << 3 | 2, 6, 9, 0, 0, 10, 2, 2])
      layer += TileWriter.message(3, Array("class".utf8))
      layer += TileWriter.message(4, TileWriter.message(1, Array("minor".utf8)))
      layer.reserveCapacity(1 << 20)
      while layer.count < 1 << 20 { layer += part }
      let tile = try #require(
        try Self.read(TileWriter.message(3, layer), "a part of \(part.count)"))
      #expect(tile.shapes.count == 1)
    }
  }

  /// Decodes a tile; what comes out is used, since wrong indices would show only then.
  @discardableResult
  private static func read(_ bytes: [UInt8], _ what: String) throws -> GroundTile? {
    let begin = ThreadClock.now
    _ = try? TileDump.lines(bytes.count < 100_000 ? bytes : [])
    let tile = try? GroundTile.decoded(bytes)
    let used = ThreadClock.now - begin
    #expect(used < .seconds(20), "\(what) took \(used) with \(Self.seedName)")
    guard let tile else { return nil }
    // A point takes two bytes or more, and four here; other parts take their share.
    #expect(tile.byteCount <= 6 * bytes.count + 1_024, "\(what) with \(Self.seedName)")
    _ = tile.shapeTexts.count + tile.labelTexts.count
    return tile
  }

  private static func damage(_ bytes: inout [UInt8], _ noise: inout ArchiveNoise) {
    guard !bytes.isEmpty else { return }
    let index = noise.below(bytes.count)
    switch noise.below(6) {
    case 0: bytes[index] = 0xFF
    case 1: bytes[index] ^= 1 << noise.below(8)
    case 2: bytes[index] = UInt8(noise.below(256))
    case 3: bytes.remove(at: index)
    case 4: bytes.insert(UInt8(noise.below(256)), at: index)
    default:
      let end = min(index + 1 + noise.below(40), bytes.count)
      let target = noise.below(bytes.count)
      bytes.insert(contentsOf: Array(bytes[index..<end]), at: target)
    }
  }
}

/// The processor time of this thread, so that a busy machine does not matter.
private enum ThreadClock {
  static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
