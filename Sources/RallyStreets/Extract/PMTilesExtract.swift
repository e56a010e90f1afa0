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
  @concurrent public init(of source: any ByteRangeSource, area: TileArea?) async throws {
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
    spans = ByteSpans(entries.map { start + $0.offset..<start + $0.offset + UInt64($0.length) })
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

extension PMTilesExtract {
  /// Fetches what is missing and writes the archive.
  ///
  /// What was fetched stays in the file `partial` if this fails or is cancelled, and the next call
  /// goes on from there, unless the source has changed.
  ///
  /// - Parameters:
  ///   - progress: Called with the bytes that are there after each response.
  /// - Returns: How many tiles cannot be read and are left out.
  /// - Throws: `ArchiveError`, `CancellationError`, and what the source throws.
  func write(
    to path: String, partial partialPath: String, progress: @Sendable (UInt64) -> Void
  ) async throws -> Int {
    let partial = try PartialExtract(path: partialPath, of: self)
    TemporaryFile.removeLeftovers(beside: path)
    progress(partial.position)
    var isChecked = false
    for request in requests(from: partial.position) {
      try Task.checkCancellation()
      if !isChecked { isChecked = try check(partial) }
      let bytes = try await source.bytes(request)
      guard bytes.count == request.count else { throw ArchiveError.vanished }
      try partial.append(spans.wanted(of: bytes, at: request.lowerBound))
      progress(partial.position)
    }
    do {
      let leftOut = try assemble(partial, path)
      partial.remove()
      return leftOut
    } catch let error as ArchiveError {
      if !error.isOfThisMachine { partial.remove() }
      throw error
    }
  }

  /// Looks at the tiles that came first, so that what cannot be read is not fetched to its end.
  ///
  /// - Returns: Whether there is no need to look again.
  private func check(_ partial: PartialExtract) throws(ArchiveError) -> Bool {
    var inspection = TileInspection(packing: .gzip)
    var isWhole = true
    for entry in entries.lazy.filter({ $0.length > 0 }).prefix(64) where !inspection.isHopeless {
      let offset = spans.position(of: header.tiles.offset + entry.offset)
      guard offset + UInt64(entry.length) <= partial.position else {
        isWhole = false
        continue
      }
      if inspection.kept(try partial.bytes(at: offset, count: Int(entry.length))) != nil {
        return true
      }
    }
    guard inspection.isHopeless else { return isWhole }
    partial.remove()
    try inspection.check()
    return true
  }

  private func assemble(_ partial: PartialExtract, _ path: String) throws -> Int {
    var header = header
    header.bounds = bounds
    var tiles = try InspectedTiles(of: self, in: partial, beside: path)
    header.tileCompression = tiles.packing
    let placed = try tiles.placed()
    try PMTilesAssembly(header: header, metadata: metadata.json, entries: placed)
      .write(to: path) { [tiles] offset, count throws(ArchiveError) in
        try tiles.bytes(at: offset, count: count)
      }
    return tiles.leftOut
  }
}

extension ArchiveError {
  /// Whether the archive is not to blame, and what was fetched of it is worth keeping.
  fileprivate var isOfThisMachine: Bool {
    switch self {
    case .file, .noRoom: true
    default: false
    }
  }
}

/// The fetched tiles of an extract, those that are stored otherwise than the archive says brought to
/// what it will say.
private struct InspectedTiles {
  private struct Content: Hashable {
    var offset: UInt64
    var length: UInt32
  }

  private let extract: PMTilesExtract
  private let partial: PartialExtract
  /// Tiles that are stored anew; their offsets count on from those of the extract.
  private let changed: TemporaryFile
  private var inspection: TileInspection

  var packing: PMTilesCompression { inspection.packing }
  var leftOut: Int { inspection.leftOut }

  init(
    of extract: PMTilesExtract, in partial: PartialExtract, beside path: String
  ) throws(ArchiveError) {
    (self.extract, self.partial) = (extract, partial)
    changed = try TemporaryFile(beside: path)
    changed.hide()
    inspection = TileInspection(packing: .gzip)
    let first = extract.entries.first { $0.length > 0 }
    if extract.header.tileCompression == .none, let first,
      TilePacking(of: try stored(Content(offset: first.offset, length: first.length))) == .none
    {
      inspection = TileInspection(packing: .none)
    }
  }

  private func stored(_ content: Content) throws(ArchiveError) -> [UInt8] {
    guard content.length > 0 else { return [] }
    let offset = extract.spans.position(of: extract.header.tiles.offset + content.offset)
    return try partial.bytes(at: offset, count: Int(content.length))
  }

  /// The entries of all tiles that can be read, with their new offsets.
  ///
  /// - Throws: `ArchiveError` if none can be read and drawn; `CancellationError`.
  mutating func placed() throws -> [PMTilesDirectory.Entry] {
    var known: [Content: Content?] = [:]
    var entries: [PMTilesDirectory.Entry] = []
    entries.reserveCapacity(extract.entries.count)
    for entry in extract.entries {
      let content = Content(offset: entry.offset, length: entry.length)
      let place: Content?
      if let found = known[content] {
        if found == nil { inspection.leaveOut(Int(entry.run)) }
        place = found
      } else {
        try Task.checkCancellation()
        place = try self.place(content, count: Int(entry.run))
        known.updateValue(place, forKey: content)
      }
      guard let place else { continue }
      entries.append(
        .init(number: entry.number, offset: place.offset, length: place.length, run: entry.run))
    }
    try inspection.check()
    return entries
  }

  private mutating func place(_ content: Content, count: Int) throws(ArchiveError) -> Content? {
    let bytes = try stored(content)
    guard let kept = inspection.kept(bytes, count: count) else { return nil }
    guard kept != bytes else {
      let start = extract.header.tiles.offset + content.offset
      return Content(offset: extract.spans.position(of: start), length: content.length)
    }
    let offset = extract.spans.count + changed.length
    try changed.append(kept)
    return Content(offset: offset, length: UInt32(kept.count))
  }

  func bytes(at offset: UInt64, count: Int) throws(ArchiveError) -> [UInt8] {
    let own = extract.spans.count
    guard offset >= own else { return try partial.bytes(at: offset, count: count) }
    return try changed.bytes(at: offset - own, count: count)
  }
}
