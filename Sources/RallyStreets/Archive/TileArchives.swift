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
