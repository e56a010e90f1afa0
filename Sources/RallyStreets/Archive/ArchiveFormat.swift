/// The file formats of archives.
public enum ArchiveFormat: String, Sendable, CaseIterable {
  case pmtiles = "PMTiles"
  case mbtiles = "MBTiles"
}
