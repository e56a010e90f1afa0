/// The schemas of vector tiles whose layers the map knows.
enum VectorSchema: CaseIterable {
  case openMapTiles
  case protomaps
  case shortbread

  var layers: [SchemaLayer] {
    switch self {
    case .openMapTiles: OpenMapTilesSchema.layers
    case .protomaps: ProtomapsSchema.layers
    case .shortbread: ShortbreadSchema.layers
    }
  }

  /// The schema of a tile; nil when no schema knows any of its layers.
  ///
  /// The schema that knows most of the layers. Tiles at sea or in the woods may have a single layer
  /// whose name two schemas share (`water`, `landuse`, `buildings`): then the schema whose
  /// classifying keys these layers have (`class`, `kind`, `admin_level`), and at last the first in
  /// the order above.
  init?(of layers: [VectorTileLayer]) throws(VectorTileError) {
    let counts = Self.allCases.map { schema in layers.count { schema.layer($0.name) != nil } }
    guard let most = counts.max(), most > 0 else { return nil }
    let equals = zip(Self.allCases, counts).filter { $0.1 == most }.map(\.0)
    var best = (schema: equals[0], keys: -1)
    for schema in equals where equals.count > 1 {
      var keys = 0
      for layer in layers where try schema.hasClassifyingKey(layer) { keys += 1 }
      if keys > best.keys { best = (schema, keys) }
    }
    self = best.schema
  }

  func layer(_ name: String) -> SchemaLayer? { layers.first { $0.name == name } }

  private func hasClassifyingKey(_ layer: VectorTileLayer) throws(VectorTileError) -> Bool {
    guard let known = self.layer(layer.name) else { return false }
    let dictionary = try layer.dictionary()
    return (0..<dictionary.keyCount).contains { known.fields[dictionary.key(at: $0)] == .kind }
  }
}
