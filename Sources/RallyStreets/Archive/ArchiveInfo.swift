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
