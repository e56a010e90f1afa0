import RallyText

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
