/// The largest parts of an archive that are read, in bytes.
public enum TileLimits {
  /// A tile, unpacked; also the bound of a packed one.
  public static let unpackedTile = 8 << 20
  /// A PMTiles directory, packed and unpacked: at most 262,144 entries.
  static let directory = 1 << 20
  /// The JSON that describes an archive, packed and unpacked.
  static let metadata = 1 << 20
  /// Levels of PMTiles directories below the root.
  static let leafLevels = 3
}
