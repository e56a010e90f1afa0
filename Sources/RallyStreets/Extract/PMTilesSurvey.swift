/// Reads a PMTiles archive's header, description and those directories that lead to some tiles.
struct PMTilesSurvey {
  let source: any ByteRangeSource
  let header: PMTilesHeader
  let metadata: ArchiveMetadata
  /// Of the whole archive, in bytes.
  let length: UInt64
  private let root: PMTilesDirectory
  /// Bytes read so far.
  private(set) var fetched: UInt64

  /// - Throws: `ArchiveError`, and what the source throws.
  init(_ source: any ByteRangeSource) async throws {
    self.source = source
    length = try await source.length()
    let start = try await source.bytes(0..<min(length, UInt64(PMTilesHeader.length)))
    if start.starts(with: MBTilesArchive.magic) { throw ArchiveError.onlyLocal }
    let header = try PMTilesHeader(start)
    for section in [header.root, header.metadata] where section.end > length {
      throw ArchiveError.damaged("it ends before something that it points to")
    }
    let packed: (root: [UInt8], metadata: [UInt8])
    if header.root.end == header.metadata.offset {
      let both = try await source.bytes(header.root.offset..<header.metadata.end)
      let middle = Int(header.root.length)
      packed = (Array(both[..<middle]), Array(both[middle...]))
    } else {
      packed = (
        try await Self.section(header.root, of: source),
        try await Self.section(header.metadata, of: source)
      )
    }
    root = try PMTilesArchive.directory(packed.root, header)
    metadata = try PMTilesArchive.metadata(packed.metadata, header)
    fetched = UInt64(start.count + packed.root.count + packed.metadata.count)
    self.header = header
  }

  private static func section(
    _ section: PMTilesHeader.Section, of source: any ByteRangeSource
  ) async throws -> [UInt8] {
    section.length == 0 ? [] : try await source.bytes(section.offset..<section.end)
  }

  /// The entries of the tiles with these numbers, cut to them.
  ///
  /// - Throws: `ArchiveError.tooLarge` for more than `most`; what the source throws.
  mutating func entries(
    _ numbers: TileNumbers, most: Int
  ) async throws -> [PMTilesDirectory.Entry] {
    var found = Found(numbers: numbers, most: most)
    try found.add(root, header)
    for _ in 0..<TileLimits.leafLevels where !found.leaves.isEmpty {
      let leaves = found.leaves
      found.leaves = []
      let (spans, packed) = try await read(leaves)
      // One after another: together, unpacked, they can be many times as large.
      for leaf in leaves {
        let position = Int(spans.position(of: header.leaves.offset + leaf.offset))
        let bytes = Array(packed[position..<position + Int(leaf.length)])
        try found.add(PMTilesArchive.directory(bytes, header), header)
      }
    }
    guard found.leaves.isEmpty else {
      throw ArchiveError.damaged("its directories are nested too deeply")
    }
    return found.entries
  }

  private struct Found {
    let numbers: TileNumbers
    let most: Int
    var entries: [PMTilesDirectory.Entry] = []
    /// Of the next level.
    var leaves: [PMTilesDirectory.Entry] = []

    private static let mostLeaves = 16_384

    mutating func add(_ directory: PMTilesDirectory, _ header: PMTilesHeader) throws(ArchiveError) {
      for (index, entry) in directory.entries.enumerated() {
        if entry.isLeaf {
          let next = directory.entries.dropFirst(index + 1).first?.number ?? 1 << 57
          guard numbers.touches(entry.number..<next) else { continue }
          try header.checkLeaf(entry)
          leaves.append(entry)
          guard leaves.count <= Self.mostLeaves else {
            throw .tooLarge("The directory of the area")
          }
          continue
        }
        for part in numbers.overlap(entry.numbers) {
          try header.checkTile(entry)
          entries.append(
            .init(
              number: part.lowerBound, offset: entry.offset, length: entry.length,
              run: UInt32(part.count)))
          guard entries.count <= most else { throw .tooLarge("The area with that many tiles") }
        }
      }
    }
  }

  /// Reads leaf directories, those that lie side by side at once.
  private mutating func read(
    _ leaves: [PMTilesDirectory.Entry]
  ) async throws -> (ByteSpans, [UInt8]) {
    let start = header.leaves.offset
    let spans = ByteSpans(leaves.map { start + $0.offset..<start + $0.offset + UInt64($0.length) })
    guard spans.ranges.last.map({ $0.upperBound <= length }) ?? true else {
      throw ArchiveError.damaged("it ends before something that it points to")
    }
    guard spans.count <= Self.mostDirectoryBytes else {
      throw ArchiveError.tooLarge("The directory of the area")
    }
    var packed: [UInt8] = []
    for request in spans.requests(from: 0, surplus: 0, longest: 1 << 20) {
      try Task.checkCancellation()
      packed += try await source.bytes(request)
    }
    guard packed.count == Int(spans.count) else { throw ArchiveError.vanished }
    fetched += spans.count
    return (spans, packed)
  }

  /// The most packed directories of one level that are held at once.
  private static let mostDirectoryBytes: UInt64 = 16 << 20
}
