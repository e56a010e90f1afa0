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
