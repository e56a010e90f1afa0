import RallyMap

extension GroundTile {
  /// The largest extent that leaves room in `Vertex` for a whole tile's side on either side.
  private static let maximumExtent = 1 << 14

  /// Decodes a Mapbox vector tile of a schema that the map knows: OpenMapTiles, the Protomaps
  /// basemap 4, or Shortbread, told apart by the tile's layers. Other tiles give an empty
  /// `GroundTile`, as do layers and classes that the map does not draw.
  ///
  /// - Parameters:
  ///   - bytes: The unzipped tile.
  ///   - address: Where the tile lies.
  /// - Throws: `VectorTileError` when the tile is damaged.
  public init(
    vectorTile bytes: [UInt8], at address: TileAddress
  ) throws(VectorTileError) {
    self = try bytes.withUnsafeBufferPointer { bytes throws(VectorTileError) in
      try Self.decoded(UnsafeRawBufferPointer(bytes), at: address)
    }
  }

  private static func decoded(
    _ bytes: UnsafeRawBufferPointer, at address: TileAddress
  ) throws(VectorTileError) -> GroundTile {
    let layers = try VectorTile.layers(in: bytes)
    guard let schema = try VectorSchema(of: layers) else {
      return GroundTile(address: address, extent: 4_096)
    }
    let wanted = layers.compactMap { layer in
      schema.layer(layer.name).map { (layer: layer, schema: $0) }
    }
    let extent = wanted.map(\.layer.extent).max() ?? maximumExtent
    var builder = GroundTileBuilder(address: address, extent: min(extent, maximumExtent))
    for (layer, schema) in wanted { try builder.add(layer, by: schema) }
    return builder.finished()
  }
}
