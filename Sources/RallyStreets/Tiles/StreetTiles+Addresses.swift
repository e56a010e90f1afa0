import RallyMap

extension StreetTiles {
  /// The address of a point by the finest archive that knows a street near it.
  ///
  /// Only for positions that are exact: a street must not be named for anybody who shares less.
  public func address(of point: GeoPoint) -> StreetAddress {
    loadFolder()
    var best = StreetAddress()
    for source in sources.reversed() where source.archive.info.bounds.contains(point) {
      let info = source.archive.info
      let found = tiles(
        at: [info.maximumZoom, Self.townZoom].map {
          TileAddress(containing: WorldPoint(point), zoom: min($0, info.maximumZoom))
        }, of: source
      ).address(of: point)
      if found.street != nil { return found }
      if best.place == nil { best = found }
    }
    return best
  }

  /// Streets and places whose names match a text, the best match first, then the nearest.
  ///
  /// - Parameters:
  ///   - point: Where the search is made from; an archive that does not cover it is searched around
  ///     its own middle.
  ///   - limit: The most results.
  public func matches(_ text: String, near point: GeoPoint?, limit: Int) -> [StreetMatch] {
    loadFolder()
    var found: [StreetMatch] = []
    for source in sources.reversed() {
      let info = source.archive.info
      let center = point.flatMap { info.bounds.contains($0) ? $0 : nil } ?? info.bounds.center
      let around = Viewport(
        center: center, zoom: Double(info.maximumZoom),
        columns: Self.searchedTiles * 128, rows: Self.searchedTiles * 64)
      let addresses =
        around.tiles(zoom: info.maximumZoom).filter { source.meets($0) }
        + Viewport(center: center, zoom: Double(Self.townZoom), columns: 128, rows: 64)
        .tiles(zoom: min(Self.townZoom, info.maximumZoom))
      found += tiles(at: addresses, of: source)
        .streets(matching: text, near: point ?? center, limit: limit)
      if found.count >= limit { break }
    }
    return Array(found.prefix(limit))
  }

  /// The zoom of the tiles that know all towns around.
  private static let townZoom = 10
  /// How many tiles of the finest zoom are searched in a row and in a column: some eight kilometres.
  private static let searchedTiles = 4

  private func tiles(at addresses: [TileAddress], of source: Source) -> [GroundTile] {
    Set(addresses).sorted { ($0.zoom, $0.x, $0.y) > ($1.zoom, $1.x, $1.y) }.compactMap { address in
      if case .tile(let tile) = load(address, of: source) { tile } else { nil }
    }
  }
}

extension GeoBounds {
  fileprivate var center: GeoPoint {
    GeoPoint(latitude: (south + north) / 2, longitude: (west + east) / 2)
  }
}
