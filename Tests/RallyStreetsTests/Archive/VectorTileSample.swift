@testable import RallyStreets

/// Small vector tiles, written by hand.
enum VectorTileSample {
  /// A tile with one layer of one road.
  ///
  /// - Parameter padding: Bytes in a field that readers skip, to tell tiles apart.
  static func road(
    layer: String = "transportation", padding: [UInt8] = [], version: UInt8 = 2
  ) -> [UInt8] {
    let geometry = field(4, [9, 0, 0x80, 0x20, 10, 0x80, 0x40, 0])
    let feature = field(2, field(2, [0, 0]) + [0x18, 2] + geometry)
    let value = field(4, field(1, Array("primary".utf8)))
    let content =
      field(1, Array(layer.utf8)) + feature + field(3, Array("class".utf8)) + value
      + [0x28, 0x80, 0x20, 0x78, version]
    return field(3, content) + (padding.isEmpty ? [] : field(16, padding))
  }

  static func layerCount(_ tile: [UInt8]) throws -> Int {
    try tile.withUnsafeBytes { try VectorTile.layers(in: $0).count }
  }

  private static func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    var field: [UInt8] = []
    field.append(varint: number << 3 | 2)
    field.append(varint: UInt64(bytes.count))
    return field + bytes
  }
}
