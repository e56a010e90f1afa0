import FoundationEssentials
import RallyMap

/// Reads and decodes the tiles under a view, from all archives of a folder.
///
/// The folder is read again when it has changed since the last view. So an archive that is added or
/// removed while the program runs counts at the next move of the map.
public actor StreetTiles {
  /// An archive, and the area that it covers on the Mercator square.
  struct Source {
    let path: String
    let archive: any TileArchive
    let low: WorldPoint
    let high: WorldPoint
  }

  /// What an archive has at an address.
  enum Entry {
    case tile(GroundTile)
    /// The archive has no tile there.
    case none
    /// The tile is there and cannot be read.
    case unreadable

    fileprivate var byteCount: Int {
      if case .tile(let tile) = self { tile.byteCount } else { 64 }
    }
  }

  private struct CacheKey: Hashable {
    /// The path of the archive.
    let archive: String
    let address: TileAddress
  }

  private let folder: StreetFolder
  private let report: @Sendable (String) -> Void
  /// The coarsest first.
  private(set) var sources: [Source] = []
  private var folderDate: Date?
  /// The decoded tiles, 8 MiB.
  private var cache = LRUCache<CacheKey, Entry>(limit: 8 << 20)
  private var reported: Set<String> = []
  private var revision = 0
  private var lastPatches: [PatchKey] = []

  /// - Parameters:
  ///   - folder: Where the archives are; it need not exist.
  ///   - report: Called once for each tile or archive that cannot be read, with a sentence.
  public init(folder: String, report: @escaping @Sendable (String) -> Void = { _ in }) {
    self.folder = StreetFolder(path: folder)
    self.report = report
  }

  /// The tiles under a view; without any the ground is empty.
  ///
  /// Of several archives the finest is drawn last, over the others. Where an archive has no tile of
  /// the view's zoom, its next coarser one is taken.
  ///
  /// - Returns: nil if the task was cancelled.
  public func ground(for viewport: Viewport) -> MapGround? {
    guard viewport.zoom >= MapGround.lowestZoom else { return MapGround.none }
    loadFolder()
    var patches: [MapGround.Patch] = []
    var keys: [PatchKey] = []
    var attributions: [String] = []
    for source in sources {
      let info = source.archive.info
      let zoom = min(max(Int(viewport.zoom.rounded()), info.minimumZoom), info.maximumZoom)
      var found: [(key: PatchKey, patch: MapGround.Patch)] = []
      for area in viewport.tiles(zoom: zoom) where source.meets(area) {
        if Task.isCancelled { return nil }
        guard let (address, entry) = entry(at: area, of: source) else { continue }
        let key = PatchKey(archive: source.path, address: address, area: area)
        found.append((key, source.patch(entry, at: address, area: area)))
      }
      // An archive that vanished meanwhile has no part in the picture.
      guard !found.isEmpty, sources.contains(where: { $0.path == source.path }) else { continue }
      keys += found.map(\.key)
      patches += found.map(\.patch)
      let attribution = info.attribution ?? Self.openStreetMap
      if !attributions.contains(attribution) { attributions.append(attribution) }
    }
    if keys != lastPatches {
      revision += 1
      lastPatches = keys
    }
    return MapGround(
      patches: patches, revision: patches.isEmpty ? 0 : revision,
      attribution: attributions.joined(separator: " "))
  }

  private struct PatchKey: Hashable {
    let archive: String
    let address: TileAddress
    let area: TileAddress
  }

  /// Who made the data of an archive that does not say: all schemas that are known are made from it.
  private static let openStreetMap = "© OpenStreetMap contributors"

  /// How many zooms a coarser tile may stand in for a missing one.
  private static let stepsDown = 5

  /// The tile at an address, or the nearest coarser one; nil where the archive has none.
  private func entry(at address: TileAddress, of source: Source) -> (TileAddress, Entry)? {
    let lowest = max(source.archive.info.minimumZoom, address.zoom - Self.stepsDown)
    var zoom = address.zoom
    while zoom >= lowest {
      let found = address.ancestor(zoom: zoom)
      let entry = load(found, of: source)
      if case .none = entry { zoom -= 1 } else { return (found, entry) }
    }
    return nil
  }

  func load(_ address: TileAddress, of source: Source) -> Entry {
    let key = CacheKey(archive: source.path, address: address)
    if let known = cache.value(for: key) { return known }
    let entry: Entry
    do {
      if let bytes = try source.archive.tile(at: address) {
        entry = .tile(try GroundTile(vectorTile: bytes, at: address))
      } else {
        entry = .none
      }
    } catch let error as ArchiveError where error == .vanished {
      complain(source.path, error.sentence)
      folderDate = nil
      sources.removeAll { $0.path == source.path }
      return .none
    } catch {
      complain(source.path, "tile \(address.zoom)/\(address.x)/\(address.y): \(error)")
      entry = .unreadable
    }
    cache.insert(entry, for: key, cost: entry.byteCount)
    return entry
  }

  /// Opens the archives of the folder if it has changed since the last time.
  func loadFolder() {
    let attributes = try? FileManager.default.attributesOfItem(atPath: folder.path)
    let date = attributes?[.modificationDate] as? Date
    guard date != folderDate else { return }
    folderDate = date
    cache.removeAll()
    sources = folder.names.compactMap { open(folder.path(of: $0)) }
      .sorted { $0.archive.info.maximumZoom < $1.archive.info.maximumZoom }
  }

  private func open(_ path: String) -> Source? {
    do throws(ArchiveError) {
      return Source(path: path, archive: try TileArchives.open(path))
    } catch {
      complain(path, error.sentence)
      return nil
    }
  }

  private func complain(_ path: String, _ sentence: String) {
    let line = "\(path): \(sentence)"
    if reported.insert(line).inserted { report(line) }
  }
}

extension StreetTiles.Source {
  init(path: String, archive: any TileArchive) {
    let bounds = archive.info.bounds
    self.init(
      path: path, archive: archive,
      low: WorldPoint(GeoPoint(latitude: bounds.north, longitude: bounds.west)),
      high: WorldPoint(
        x: (bounds.east + 180) / 360,
        y: WorldPoint(GeoPoint(latitude: bounds.south, longitude: bounds.west)).y))
  }

  /// Whether the archive covers a part of a tile.
  func meets(_ address: TileAddress) -> Bool {
    let origin = address.origin
    return low.x < origin.x + address.side && high.x > origin.x && low.y < origin.y + address.side
      && high.y > origin.y
  }

  /// - Parameter area: The tile of the view's zoom that the patch stands for.
  func patch(
    _ entry: StreetTiles.Entry, at address: TileAddress, area: TileAddress
  ) -> MapGround.Patch {
    let tile: GroundTile? = if case .tile(let tile) = entry { tile } else { nil }
    let origin = area.origin
    return MapGround.Patch(
      tile, at: address,
      low: WorldPoint(x: max(low.x, origin.x), y: max(low.y, origin.y)),
      high: WorldPoint(x: min(high.x, origin.x + area.side), y: min(high.y, origin.y + area.side)))
  }
}

extension StreetTiles {
  /// The address of a point by the finest archive that has a street near it.
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

  /// The zoom of the tiles that have all towns around.
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
