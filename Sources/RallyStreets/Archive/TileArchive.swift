import RallyMap

/// Vector tiles in one file, by their address. Any thread may use it, several at once.
public protocol TileArchive: Sendable {
  var info: ArchiveInfo { get }

  /// Reads one tile. This reads the disk: not for the main actor.
  ///
  /// - Returns: The unpacked vector tile, at most `TileLimits.unpackedTile` bytes; nil if the archive
  ///   has no tile at this address.
  /// - Throws: `ArchiveError` if the tile cannot be read; other tiles may still be readable.
  func tile(at address: TileAddress) throws(ArchiveError) -> [UInt8]?
}
