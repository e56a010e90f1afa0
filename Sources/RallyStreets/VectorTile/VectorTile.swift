/// Mapbox vector tile, versions 1 and 2.1 of the specification, decoded by hand.
///
/// Which damage costs the tile and which costs a feature follows mapbox/mvt-fixtures. Where that
/// list leaves the choice:
/// - A layer without a version is refused, although a decoder of version 1 would assume 1.
/// - Of two layers of one name the first counts.
/// - A feature of unknown type, without geometry, or with two geometries is left out.
/// - A command whose coordinates are missing is refused, be it one coordinate or a billion.
/// - Points of a line that lie on each other are kept here, and dropped by `GroundTile`.
enum VectorTile {
  /// Tiles in use have about 20 layers.
  static let maximumLayerCount = 255

  /// The layers of a tile, with their names and sizes; none of their features is decoded.
  ///
  /// - Parameter bytes: The unzipped tile, at most `TileLimits.unpackedTile`; the layers are valid
  ///   only while the bytes are.
  static func layers(
    in bytes: UnsafeRawBufferPointer
  ) throws(VectorTileError) -> [VectorTileLayer] {
    guard bytes.count <= TileLimits.unpackedTile else { throw .tooLarge(byteCount: bytes.count) }
    var reader = WireReader(bytes, range: 0..<bytes.count)
    var layers: [VectorTileLayer] = []
    while !reader.isAtEnd {
      let field = try reader.field()
      guard field.number == 3 else {
        try reader.skip(field.type)
        continue
      }
      let layer = try VectorTileLayer(bytes, range: try reader.range(field.type))
      guard !layers.contains(where: { $0.name == layer.name }) else { continue }
      guard layers.count < maximumLayerCount else { throw .tooManyLayers }
      layers.append(layer)
    }
    return layers
  }
}
