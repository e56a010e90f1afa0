import FoundationEssentials
import Glibc
import RallyText

/// The archives of streets that a person has added, one PMTiles file each (0600 in a 0700 folder).
public struct StreetFolder: Sendable {
  public let path: String
  /// The free bytes of the disk with a folder; nil if that cannot be said.
  var freeBytes: @Sendable (String) -> UInt64? = { path in
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    return UInt64(status.f_bavail) * UInt64(status.f_frsize)
  }

  /// - Parameter path: Made when something is added first.
  public init(path: String) { self.path = path }

  /// One archive, or what was fetched of one so far.
  public struct Entry: Sendable {
    public let name: StreetName
    /// On disk.
    public let byteCount: UInt64
    /// Nil if it was only begun.
    public let info: Result<ArchiveInfo, ArchiveError>?
  }

  /// Why the folder cannot be read; nil if it can be, or is not there yet.
  public var problem: ArchiveError? {
    guard let folder = opendir(path) else { return errno == ENOENT ? nil : .lastSystemError }
    closedir(folder)
    return nil
  }

  /// The names of the whole archives, in order; none if the folder cannot be read (`problem`).
  public var names: [StreetName] { files(".pmtiles").map(\.name).sorted() }

  /// Everything in the folder by name; this opens each archive. Nothing if it cannot be read
  /// (`problem`).
  public func entries() -> [Entry] {
    let whole = files(".pmtiles").map { name, size in
      Entry(
        name: name, byteCount: size,
        info: Result { () throws(ArchiveError) in try archive(name).info })
    }
    let begun = files(".part").filter { file in !whole.contains { $0.name == file.name } }
      .map { Entry(name: $0.name, byteCount: $0.size, info: nil) }
    return (whole + begun).sorted { $0.name < $1.name }
  }

  /// Where the archive of a name is, or would be.
  public func path(of name: StreetName) -> String { "\(path)/\(name).pmtiles" }

  private func partialPath(of name: StreetName) -> String { "\(path)/\(name).part" }

  /// - Throws: `ArchiveError` if there is none, or it cannot be read.
  public func archive(_ name: StreetName) throws(ArchiveError) -> any TileArchive {
    try TileArchives.open(path(of: name))
  }

  private func files(_ ending: String) -> [(name: StreetName, size: UInt64)] {
    let found = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return found.compactMap { file in
      guard file.hasSuffix(ending), let name = StreetName(String(file.dropLast(ending.count)))
      else { return nil }
      var status = stat()
      guard stat("\(path)/\(file)", &status) == 0 else { return nil }
      return (name, UInt64(max(status.st_size, 0)))
    }
  }

  // MARK: Changes

  /// Fetches an extract and adds it under a name.
  ///
  /// If this fails or is cancelled, the next call with the same extract and name goes on.
  ///
  /// - Parameter progress: Called with the bytes of tiles that are there, out of the extract's.
  /// - Returns: How many tiles cannot be read and are left out.
  /// - Throws: `ArchiveError`, also if no tile can be read and drawn; `CancellationError`, and what
  ///   the extract's source throws.
  @discardableResult
  @concurrent public func add(
    _ extract: PMTilesExtract, as name: StreetName,
    progress: @Sendable (UInt64) -> Void = { _ in }
  ) async throws -> Int {
    try makeFolder()
    // At the end what was fetched and the archive are there at the same time.
    let count = min(extract.byteCount, 1 << 60)
    let needed = 2 * count - min(fetched(of: extract, as: name), count) + (1 << 20)
    if let free = freeBytes(path), free < needed {
      throw ArchiveError.noRoom(needed: needed, free: free)
    }
    return try await extract.write(
      to: path(of: name), partial: partialPath(of: name), progress: progress)
  }

  /// How many bytes of an extract's tiles were fetched under a name before.
  public func fetched(of extract: PMTilesExtract, as name: StreetName) -> UInt64 {
    PartialExtract.position(of: extract, in: partialPath(of: name))
  }

  /// The place of the source from which an archive of this name was begun; nil if none is begun.
  public func begunSource(of name: StreetName) -> String? {
    PartialExtract.place(in: partialPath(of: name))
  }

  /// Copies the tiles of an MBTiles archive, all or those of an area, into a new archive.
  ///
  /// - Parameter progress: Called with the number of tiles that are copied, and of all as far as that
  ///   is known.
  /// - Returns: How many tiles cannot be read and are left out.
  /// - Throws: `ArchiveError`, also if no tile can be read and drawn; `CancellationError`.
  @discardableResult
  public func add(
    _ archive: MBTilesArchive, area: TileArea?, as name: StreetName,
    progress: @Sendable (Int, Int) -> Void = { _, _ in }
  ) throws -> Int {
    let part = area?.cut(to: archive.info.bounds)
    guard area == nil || part != nil else { throw ArchiveError.nothingThere }
    try makeFolder()
    let writer = try PMTilesWriter(
      path: path(of: name), bounds: part?.bounds ?? archive.info.bounds,
      metadata: archive.metadata)
    var inspection = TileInspection(packing: .gzip)
    var count = 0
    let total = part == nil ? archive.rowCount ?? 0 : 0
    try archive.forEachTile(in: part, most: PMTilesExtract.mostEntries) { address, stored in
      try Task.checkCancellation()
      if let tile = inspection.kept(stored) { try writer.add(address, tile) }
      count += 1
      progress(count, max(count, total))
    }
    try inspection.check()
    try writer.finish()
    return inspection.leftOut
  }

  /// Removes an archive and what was fetched of it.
  ///
  /// - Returns: Whether there was anything.
  /// - Throws: `ArchiveError.file` if it cannot be removed.
  public func remove(_ name: StreetName) throws(ArchiveError) -> Bool {
    var found = false
    TemporaryFile.removeLeftovers(beside: path(of: name))
    for file in [path(of: name), partialPath(of: name)] {
      if unlink(file) == 0 { found = true } else if errno != ENOENT { throw .lastSystemError }
    }
    return found
  }

  private func makeFolder() throws(ArchiveError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch { throw .file("its folder cannot be made") }
    guard chmod(path, 0o700) == 0 else { throw .lastSystemError }
  }
}

/// The name of one archive in the folder of streets: 1 to 32 of a-z, 0-9 and -, no - in front.
public struct StreetName: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let description: String

  /// - Returns: Nil for any other text.
  public init?(_ text: String) {
    let isValid = text.utf8.allSatisfy {
      $0.isASCIILowercase || $0.isASCIIDigit || $0 == UInt8(ascii: "-")
    }
    guard isValid, (1...32).contains(text.utf8.count), !text.hasPrefix("-") else { return nil }
    description = text
  }

  /// The nearest name to a text: `São Paulo` becomes `sao-paulo`.
  ///
  /// - Returns: Nil if no letter or digit is left.
  public init?(from text: String) {
    let words = text.folded.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    var name = String(words.joined(separator: "-").prefix(32))
    while name.hasSuffix("-") { name.removeLast() }
    self.init(name)
  }

  public static func < (left: StreetName, right: StreetName) -> Bool {
    left.description < right.description
  }
}
