/// The 127 bytes at the start of a PMTiles archive (specification, version 3, section 3).
struct PMTilesHeader: Hashable {
  static let length = 127
  /// Header and root directory must end by here.
  static let firstBytes: UInt64 = 16_384

  /// A part of the file: offset and length in bytes.
  struct Section: Hashable {
    var offset: UInt64
    var length: UInt64

    var end: UInt64 { offset + length }

    /// Whether a part of the section, by its offset from the section's start, lies within.
    func holds(offset: UInt64, length: UInt64) -> Bool {
      offset <= self.length && length <= self.length - offset
    }
  }

  var root: Section
  var metadata: Section
  var leaves: Section
  var tiles: Section
  /// Addresses with a tile, 0 if unknown; likewise the entries and the different contents.
  var addressedTiles: UInt64 = 0
  var entries: UInt64 = 0
  var contents: UInt64 = 0
  var isClustered = false
  /// Of directories and metadata.
  var compression: PMTilesCompression
  var tileCompression: PMTilesCompression
  var minimumZoom: Int
  var maximumZoom: Int
  var bounds: GeoBounds
}

/// The compressions that are read.
enum PMTilesCompression: UInt8 {
  case none = 1
  case gzip = 2

  /// - Throws: `ArchiveError.compression` with the name of another one.
  init(code: UInt8) throws(ArchiveError) {
    guard let known = PMTilesCompression(rawValue: code) else {
      throw .compression([3: "brotli", 4: "zstd"][code] ?? "an unknown method")
    }
    self = known
  }

  /// - Parameter subject: What is unpacked, with its article.
  /// - Throws: `ArchiveError.tooLarge` beyond the limit, `.damaged` for damaged gzip.
  func unpacked(
    _ packed: [UInt8], limit: Int, subject: String
  ) throws(ArchiveError) -> [UInt8] {
    switch self {
    case .none: packed
    case .gzip: try Gzip.unpacked(packed, limit: limit, subject: subject)
    }
  }
}
