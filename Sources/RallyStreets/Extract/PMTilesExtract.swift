import RallyMap

/// The part of a PMTiles archive that an area needs: found in its directories, not yet fetched.
public struct PMTilesExtract: Sendable {
  let source: any ByteRangeSource
  let header: PMTilesHeader
  let metadata: ArchiveMetadata
  /// What the result covers.
  public let bounds: GeoBounds
  /// Whether the archive covers all of the area that is asked for.
  public let isComplete: Bool
  /// With offsets from the start of the tiles' section.
  let entries: [PMTilesDirectory.Entry]
  /// The bytes of the source that are needed.
  let spans: ByteSpans
  /// What was read to find them, in bytes.
  let surveyed: UInt64
  /// Tells this extract from any other one, for going on with what was fetched before.
  let digest: UInt64

  /// Where the archive is.
  public var place: String { source.place }
  /// How many tiles the result has.
  public var tileCount: Int { entries.reduce(0) { $0 + Int($1.run) } }
  /// How many bytes of tiles are fetched.
  public var byteCount: UInt64 { spans.count }
  /// What the archive calls itself.
  public var name: String { metadata.name }
  public var attribution: String? { metadata.attribution }

  /// The most entries of an extract, 24 bytes each.
  static let mostEntries = 1_000_000

  /// Reads the header and the directories that are needed.
  ///
  /// - Parameter area: Nil for the whole archive.
  /// - Throws: `ArchiveError`, and what the source throws.
  public init(of source: any ByteRangeSource, area: TileArea?) async throws {
    var survey = try await PMTilesSurvey(source)
    header = survey.header
    metadata = survey.metadata
    let zooms = header.minimumZoom...header.maximumZoom
    var numbers = TileNumbers.all
    if let area {
      guard let part = area.cut(to: header.bounds) else { throw ArchiveError.nothingThere }
      bounds = part.bounds
      isComplete = part == area
      numbers = try TileNumbers(part, zooms: zooms)
    } else {
      bounds = header.bounds
      isComplete = true
    }
    entries = try await survey.entries(numbers, most: Self.mostEntries)
    guard !entries.isEmpty else { throw ArchiveError.nothingThere }
    let start = header.tiles.offset
    spans = ByteSpans(
      entries.map { start + $0.offset..<start + $0.offset + UInt64($0.length) })
    guard spans.ranges.last.map({ $0.upperBound <= survey.length }) ?? true else {
      throw ArchiveError.damaged("it ends before something that it points to")
    }
    self.source = source
    surveyed = survey.fetched
    var digest = StableDigest()
    digest.add(source.place)
    digest.add(try await source.version() ?? "")
    digest.add(survey.length)
    digest.add(bytes: header.encoded)
    for range in spans.ranges {
      digest.add(range.lowerBound)
      digest.add(range.upperBound)
    }
    for entry in entries {
      digest.add(entry.number)
      digest.add(UInt64(entry.run))
      digest.add(entry.offset)
    }
    self.digest = digest.value
  }

  /// The requests for all that is still missing.
  ///
  /// - Parameter position: How many of the needed bytes are there already.
  func requests(from position: UInt64) -> [Range<UInt64>] {
    guard let start = spans.offset(at: position) else { return [] }
    // At most 5 % more than the tiles, the directories included.
    let surplus = spans.count / 20
    return spans.requests(
      from: start, surplus: surplus > surveyed ? surplus - surveyed : 0, longest: 2 << 20)
  }
}

/// FNV-1a, 64 bits: the same in every process, unlike `Hasher`.
struct StableDigest {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  mutating func add(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { add(bytes: $0) }
  }

  mutating func add(_ text: String) {
    add(UInt64(text.utf8.count))
    add(bytes: text.utf8)
  }
}
