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

/// Why a vector tile could not be decoded. Offsets are bytes from the start of the unzipped tile.
public enum VectorTileError: Error, Hashable, Sendable {
  /// The tile is larger than `TileLimits.unpackedTile`.
  case tooLarge(byteCount: Int)
  /// A field reaches beyond the end of the message that contains it.
  case truncated(offset: Int)
  /// A number of more than ten bytes, or a wire type that does not exist.
  case notProtobuf(offset: Int)
  /// A field of the format has another wire type than the format says.
  case wrongWireType(offset: Int)
  /// More than `VectorTile.maximumLayerCount` layers.
  case tooManyLayers
  case unnamedLayer
  /// A version that is neither 1 nor 2; nil where the layer has none.
  case unknownVersion(UInt64?)
  /// The extent is 0 or does not fit in 32 bits.
  case impossibleExtent(UInt64)
  /// A value that has none of the types of the format, or more than one.
  case unknownValue(offset: Int)
  /// A feature refers to a key or value that its layer does not have.
  case missingProperty(offset: Int)
  /// Commands that do not make a geometry of the feature's type, or coordinates that are missing.
  case impossibleGeometry(offset: Int)
}

extension VectorTileError: CustomStringConvertible {
  /// A sentence for the log.
  public var description: String {
    switch self {
    case .tooLarge(let byteCount):
      "The vector tile has \(byteCount) bytes; at most \(TileLimits.unpackedTile) are read."
    case .truncated(let offset): "The vector tile ends within a field (byte \(offset))."
    case .notProtobuf(let offset): "The vector tile is not Protocol Buffers data (byte \(offset))."
    case .wrongWireType(let offset): "A field of the vector tile has a wrong type (byte \(offset))."
    case .tooManyLayers: "The vector tile has more than \(VectorTile.maximumLayerCount) layers."
    case .unnamedLayer: "A layer of the vector tile has no name."
    case .unknownVersion(let version?):
      "A layer of the vector tile has version \(version); versions 1 and 2 are supported."
    case .unknownVersion(nil): "A layer of the vector tile has no version."
    case .impossibleExtent(let extent): "A layer of the vector tile has the extent \(extent)."
    case .unknownValue(let offset):
      "A value in the vector tile has no known type, or several (byte \(offset))."
    case .missingProperty(let offset):
      "A feature of the vector tile has a property that its layer lacks (byte \(offset))."
    case .impossibleGeometry(let offset):
      "A feature of the vector tile has an invalid geometry (byte \(offset))."
    }
  }
}
