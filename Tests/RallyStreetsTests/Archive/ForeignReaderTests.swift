import CZlib
import Foundation
import RallyMap
import Testing

@testable import RallyStreets

/// What is written, read by the format's own library for Python.
@Suite struct ForeignReaderTests {
  private func line(_ address: TileAddress, _ bytes: [UInt8]) -> String {
    let sum = crc32(0, bytes, UInt32(bytes.count))
    return "\(address.zoom) \(address.x) \(address.y) \(bytes.count) \(sum)"
  }

  @Test(
    .disabled(if: PythonDecoder.isSkipped, "no Python environment: see .build/python-skipped"),
    arguments: [3, 30_000])
  func `another reader finds the same tiles`(count: Int) throws {
    let folder = try ArchiveFolder()
    let path = folder.path + "/written.pmtiles"
    let writer = try PMTilesWriter(
      path: path, bounds: .world, metadata: Array(#"{"attribution":"us"}"#.utf8), isPacked: false)
    var noise = ArchiveNoise(seed: 2)
    var expected: [String] = ["us"]
    for index in 0..<count {
      let address = ArchiveFixtures.address(12, index % 300, index / 300)
      // Some are equal to the one before, so that there are runs.
      let bytes = noise.below(5) == 0 ? [1] : noise.bytes(1 + noise.below(30))
      try writer.add(address, bytes)
      expected.append(line(address, bytes))
    }
    try writer.finish()
    let found = try PythonDecoder.lines(of: "archive.py", path).map(String.init)
    #expect(found.count == expected.count)
    #expect(Set(found) == Set(expected))
    let hasLeaves = try PMTilesArchive(path: path).header.leaves.length > 0
    #expect(hasLeaves == (count > 20_000))
  }
}
