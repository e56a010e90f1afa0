import RallyMap
import RallyText

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

/// Opens archives of any supported format.
public enum TileArchives {
  /// Tells the format by the file's content.
  ///
  /// - Throws: `ArchiveError` if the file is no archive, or one that cannot be read.
  public static func open(_ path: String) throws(ArchiveError) -> any TileArchive {
    let file = try ArchiveFile(path: path)
    let start = try file.bytes(at: 0, count: Int(min(file.length, 16)))
    if PMTilesHeader.starts(start) { return try PMTilesArchive(file: file) }
    if start.elementsEqual(MBTilesArchive.magic) { return try MBTilesArchive(path: path) }
    throw .notAnArchive
  }
}

/// The file formats of archives.
public enum ArchiveFormat: String, Sendable, CaseIterable {
  case pmtiles = "PMTiles"
  case mbtiles = "MBTiles"
}

/// What an archive says about itself.
public struct ArchiveInfo: Hashable, Sendable {
  /// Cleaned for display, at most 80 characters; empty if the archive has no name.
  public var name: String
  public var bounds: GeoBounds
  /// 0...24, of the coarsest tiles.
  public var minimumZoom: Int
  /// `minimumZoom`...24, of the finest tiles.
  public var maximumZoom: Int
  /// Plain text, cleaned for display, at most 200 characters; nil if the archive names nobody.
  public var attribution: String?
  /// How many addresses have a tile; nil if that is not known.
  public var tileCount: Int?
  public var format: ArchiveFormat
  /// The names of the layers of its tiles, as far as the archive lists them; cleaned for display.
  public var layers: [String]
}

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

/// Why an archive of tiles cannot be read or written.
public enum ArchiveError: Error, Hashable, Sendable {
  /// The file cannot be opened, read or written; the system's reason.
  case file(String)
  /// The disk has too little room; in bytes.
  case noRoom(needed: UInt64, free: UInt64)
  /// Neither PMTiles nor MBTiles.
  case notAnArchive
  /// PMTiles of another version than 3.
  case version(Int)
  /// A compression that is not supported, by its name.
  case compression(String)
  /// Tiles of another kind than vector tiles, by its name.
  case tileKind(String)
  /// Tiles whose layers are of no schema that is known; some of their names, cleaned for display.
  case schema([String])
  /// The archive contradicts its format; what is wrong, to follow "The archive is damaged:".
  case damaged(String)
  /// A part of the archive is larger than this program reads; which, as the sentence's subject.
  case tooLarge(String)
  /// The file became shorter, or was removed, while it was in use.
  case vanished
  /// No tile of the archive is in the area.
  case nothingThere
  /// MBTiles somewhere else than on this machine.
  case onlyLocal

  /// What is wrong, and what to do where something can be done.
  public var sentence: String {
    switch self {
    case .file(let reason): "The file cannot be used: \(reason)."
    case .noRoom(let needed, let free):
      "The disk has too little room: it takes \(ByteText(needed)) while it is fetched, and "
        + "\(ByteText(free)) are free."
    case .notAnArchive: "This is no archive of map tiles (PMTiles or MBTiles)."
    case .version(let version):
      "This is PMTiles version \(version); only version 3 can be read."
    case .compression(let name):
      "The archive is compressed with \(name); only gzip and uncompressed archives can be read."
    case .tileKind(let name): "The archive holds \(name), not vector tiles."
    case .schema(let layers):
      "The map knows none of the layers in its tiles (\(layers.joined(separator: ", "))); it draws "
        + "those of OpenMapTiles, Protomaps and Shortbread."
    case .damaged(let what): "The archive is damaged: \(what)."
    case .tooLarge(let what): "\(what) is larger than can be read."
    case .vanished: "The archive was changed or removed while it was in use."
    case .nothingThere: "The archive has no tiles in this area."
    case .onlyLocal:
      "An MBTiles archive can only be read from a file on this machine. Download it first."
    }
  }
}
