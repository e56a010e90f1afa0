extension PMTilesExtract {
  /// Fetches what is missing and writes the archive.
  ///
  /// What was fetched stays in the file `partial` if this fails or is cancelled, and the next call
  /// goes on from there, unless the source has changed.
  ///
  /// - Parameters:
  ///   - progress: Called with the bytes that are there after each response.
  /// - Throws: `ArchiveError`, `CancellationError`, and what the source throws.
  func write(
    to path: String, partial partialPath: String, progress: @Sendable (UInt64) -> Void
  ) async throws {
    let partial = try PartialExtract(path: partialPath, of: self)
    TemporaryFile.removeLeftovers(beside: path)
    progress(partial.position)
    for request in requests(from: partial.position) {
      try Task.checkCancellation()
      let bytes = try await source.bytes(request)
      guard bytes.count == request.count else { throw ArchiveError.vanished }
      try partial.append(spans.wanted(of: bytes, at: request.lowerBound))
      progress(partial.position)
    }
    do throws(ArchiveError) {
      try assemble(partial, path)
    } catch {
      if case .damaged = error { partial.remove() }
      throw error
    }
    partial.remove()
  }

  private func assemble(_ partial: PartialExtract, _ path: String) throws(ArchiveError) {
    var header = header
    header.bounds = bounds
    let start = header.tiles.offset
    let isPacked = header.tileCompression == .gzip
    let placed = entries.map { entry in
      PMTilesDirectory.Entry(
        number: entry.number, offset: spans.position(of: start + entry.offset),
        length: entry.length, run: entry.run)
    }
    try PMTilesAssembly(header: header, metadata: metadata.json, entries: placed)
      .write(to: path) { offset, count throws(ArchiveError) in
        let tile = try partial.bytes(at: offset, count: count)
        guard !isPacked || Gzip.isGzip(tile) else { throw .damaged("a tile is no gzip") }
        return tile
      }
  }
}
