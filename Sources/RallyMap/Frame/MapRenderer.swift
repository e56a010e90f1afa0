import FoundationEssentials

/// Renders map frames. Caches the base layer, the marker order, names and label positions between
/// frames, for speed and so that labels do not jump.
///
/// One renderer serves one map on the screen. Not safe for concurrent use.
public final class MapRenderer {
  private let world: WorldMap
  private let measure: (Character) -> Int
  private let distanceText: (Double, Double) -> String

  /// The last error of reading the world data, if any; the map then shows only sea and markers.
  public private(set) var worldError: WorldMapError?

  private var base: (key: BaseKey, layer: BaseLayer, towns: [City])?
  private var names: (key: NamesKey, names: PlaceLabels)?
  private var night: (key: NightKey, mask: NightMask, lights: CityLights)?
  private var texts: PlaceNameCache
  private var order = MarkerOrder()
  private var streets: (key: GroundKey, names: GroundNames)?
  private var labels:
    (
      zoom: Double, columns: Int, rows: Int, sides: [LabelKey: LabelSide],
      spots: [String: LatticeCell]
    )?

  /// How often the base layer was redrawn; tests use it to check the cache.
  private(set) var basesDrawn = 0

  /// - Parameters:
  ///   - world: Whose coasts and cities.
  ///   - width: How many cells a character takes, 0...2.
  ///   - distance: A distance in metres, and how many of them are not known, as the words around
  ///     the map say it.
  public init(
    world: WorldMap = .shared, width: @escaping (Character) -> Int = { _ in 1 },
    distance: @escaping (Double, Double) -> String = { metres, _ in
      DistanceText(metres: metres).description
    }
  ) {
    self.world = world
    measure = width
    distanceText = distance
    texts = PlaceNameCache(measure: width)
  }

  /// Renders a view with its markers.
  ///
  /// While viewport and options are unchanged, only markers and the labels they displace are
  /// recomputed. A label keeps its position while there is room for it and zoom and size match the
  /// last frame.
  public func frame(
    _ viewport: Viewport, markers: [MapMarker] = [], ground: MapGround = .none,
    options: MapOptions = MapOptions()
  ) -> MapFrame {
    // Mercator makes a third of the picture of it, and nobody is there.
    let showsAntarctica =
      !viewport.isWholeWorld || markers.contains { $0.point.latitude < -60 }
    let (layer, towns) = baseLayer(viewport, ground, options, showsAntarctica)
    let sorted = order.sorted(markers)
    let projection = CellProjection(viewport)
    let found = MarkerClusters(
      markers, order: sorted, projection: projection, isClustering: options.clustersMarkers)

    let night = nightMask(viewport, options)
    var canvas = layer.canvas
    if let night, options.fillStyle == .background || options.showsLights {
      canvas.draw(night.lights, clip: layer.grid.clip)
    }
    let traced = sorted.filter { markers[$0].hasTraces(in: viewport) }
    if !traced.isEmpty {
      let alone = Set(found.clusters.lazy.filter { $0.members.count == 1 }.map { $0.members[0] })
      for index in traced.reversed() {
        let isCounted =
          !alone.contains(index) && projection.cell(of: WorldPoint(markers[index].point)) != nil
        canvas.drawTraces(
          of: markers[index], showsArea: !isCounted, viewport: viewport, projection: projection,
          clip: layer.grid.clip)
      }
    }

    var composer = FrameComposer(
      viewport, options: options, canvas: canvas, fills: layer.fills,
      night: night?.mask, last: lastLabels(viewport), measure: measure,
      distanceText: distanceText)
    composer.placePins(found.clusters, markers)
    if options.showsArrows { composer.placeArrows(markers, outside: found.outside) }
    composer.placeMarkerLabels(markers)
    if let near = layer.near {
      composer.placeNear(near, towns: towns, except: layer.isCovered(column:row:))
      composer.frame.needsStreets = layer.covered.isEmpty
    }
    let spots = composer.placeGroundNames(
      groundNames(viewport, ground, layer.grid), last: lastSpots(viewport))
    composer.placeNames(
      placeNames(viewport, layer.grid, options, showsAntarctica),
      except: layer.isCovered(column:row:))
    labels = (viewport.zoom, viewport.columns, viewport.rows, composer.placer.placed, spots)
    composer.frame.groundAttribution = ground.patches.isEmpty ? "" : ground.attribution
    return composer.finished(markers)
  }

  // MARK: Caches

  private struct BaseKey: Hashable {
    let viewport: ViewKey
    let ground: Int
    let fillStyle: MapOptions.FillStyle
    let showsBorders: Bool
    let detailBias: Int
    let showsAntarctica: Bool
    /// Where the rings are drawn round; nil where there are none.
    let place: GeoPoint?
  }

  private struct NamesKey: Hashable {
    let viewport: ViewKey
    let showsCountries: Bool
    let showsCities: Bool
    let showsAntarctica: Bool
  }

  private struct GroundKey: Hashable {
    let viewport: ViewKey
    let ground: Int
  }

  private struct NightKey: Hashable {
    let viewport: ViewKey
    let minute: Int
  }

  /// Cache key: views with the same lattice cells and zoom render the same.
  private struct ViewKey: Hashable {
    let column: Int
    let row: Int
    let zoom: Double
    let columns: Int
    let rows: Int

    init(_ viewport: Viewport) {
      (column, row) = viewport.origin
      zoom = viewport.zoom
      columns = viewport.columns
      rows = viewport.rows
    }
  }

  private func baseLayer(
    _ viewport: Viewport, _ ground: MapGround, _ options: MapOptions, _ showsAntarctica: Bool
  ) -> (BaseLayer, towns: [City]) {
    let key = BaseKey(
      viewport: ViewKey(viewport), ground: ground.revision, fillStyle: options.fillStyle,
      showsBorders: options.showsBorders, detailBias: options.detailBias,
      showsAntarctica: showsAntarctica,
      place: viewport.zoom >= NearGrid.lowestZoom ? options.distanceOrigin : nil)
    if let base, base.key == key { return (base.layer, base.towns) }
    let fitting = DetailLevel(unitsPerDot: WorldUnits.span / viewport.worldDots)
    let biased = min(
      max(Int(fitting.rawValue) + options.detailBias, 0), DetailLevel.allCases.count - 1)
    let layer = BaseLayer(
      viewport,
      level: reading { () throws(WorldMapError) in
        try world.level(DetailLevel.allCases[biased])
      }, ground: ground, options: options, showsAntarctica: showsAntarctica)
    basesDrawn += 1
    let towns = layer.near == nil ? [] : nearTowns(viewport)
    base = (key, layer, towns)
    return (layer, towns)
  }

  private func placeNames(
    _ viewport: Viewport, _ grid: GridTransform, _ options: MapOptions, _ showsAntarctica: Bool
  ) -> PlaceLabels {
    guard options.showsCities || options.showsCountries else { return .none }
    let key = NamesKey(
      viewport: ViewKey(viewport), showsCountries: options.showsCountries,
      showsCities: options.showsCities, showsAntarctica: showsAntarctica)
    if let names, names.key == key { return names.names }
    let countries = reading { () throws(WorldMapError) in try world.countries() } ?? []
    let fresh = PlaceLabels(
      viewport, grid: grid,
      cities: reading { () throws(WorldMapError) in try world.cities() },
      countries: showsAntarctica
        ? countries : countries.filter { Double($0.label?.y ?? 0) < BaseLayer.antarctica },
      options: options, texts: &texts)
    names = (key, fresh)
    return fresh
  }

  private func groundNames(
    _ viewport: Viewport, _ ground: MapGround, _ grid: GridTransform
  ) -> GroundNames {
    let key = GroundKey(viewport: ViewKey(viewport), ground: ground.revision)
    if let streets, streets.key == key { return streets.names }
    let fresh = GroundNames(viewport, ground: ground, grid: grid, measure: measure)
    streets = (key, fresh)
    return fresh
  }

  private func nearTowns(_ viewport: Viewport) -> [City] {
    reading { () throws(WorldMapError) in try world.nearestCities(to: viewport.center) } ?? []
  }

  private func nightMask(_ viewport: Viewport, _ options: MapOptions) -> (
    mask: NightMask, lights: CityLights
  )? {
    // Near by night would only hide what is drawn.
    guard let date = options.night, viewport.zoom < MapGround.lowestZoom else { return nil }
    // The terminator moves a quarter of a degree per minute.
    let key = NightKey(
      viewport: ViewKey(viewport), minute: Int((date.timeIntervalSince1970 / 60).rounded(.down)))
    if let night, night.key == key { return (night.mask, night.lights) }
    let mask = NightMask(viewport, at: date)
    let cities = reading { () throws(WorldMapError) in try world.cities() }
    let lights = cities.map { CityLights(viewport, cities: $0, night: mask) } ?? .none
    night = (key, mask, lights)
    return (mask, lights)
  }

  private func lastLabels(_ viewport: Viewport) -> [LabelKey: LabelSide] {
    guard let labels, labels.zoom == viewport.zoom, labels.columns == viewport.columns,
      labels.rows == viewport.rows
    else { return [:] }
    return labels.sides
  }

  private func lastSpots(_ viewport: Viewport) -> [String: LatticeCell] {
    guard let labels, labels.zoom == viewport.zoom else { return [:] }
    return labels.spots
  }

  private func reading<Value>(_ read: () throws(WorldMapError) -> Value) -> Value? {
    do {
      return try read()
    } catch {
      worldError = error
      return nil
    }
  }
}

/// A rendered map.
public struct MapFrame: Hashable, Sendable {
  public let viewport: Viewport
  /// Cells in row-major order, `columns * rows` of them.
  public internal(set) var cells: ContiguousArray<MapCell>
  /// Texts of cells with more than one scalar.
  public internal(set) var clusters: [Character]
  /// Pins in drawing order, the last on top. Every visible marker is in exactly one pin.
  public internal(set) var pins: [PlacedPin]
  public internal(set) var arrows: [EdgeArrow]
  /// Labelled cities and countries, in the order in which they were placed.
  public internal(set) var names: [PlacedName]

  /// Who has to be named for the tiles in view; empty for nobody.
  public internal(set) var groundAttribution = ""

  /// Whether the view is too near for the built-in world, and no tiles are there.
  public internal(set) var needsStreets = false
  /// Whether areas are shown by `MapCell.fill` instead of patterns of dots.
  public internal(set) var paintsAreas = false

  public var columns: Int { viewport.columns }
  public var rows: Int { viewport.rows }

  /// Data attribution: GeoNames requires it (CC BY), Natural Earth is public domain.
  public static let attribution = "Natural Earth, © GeoNames"

  /// A scale bar of at most a fifth of the frame's width, or of 8 cells if that is more.
  public var scaleBar: ScaleBar? { viewport.scaleBar(maximumCells: max(columns / 5, 8)) }

  /// - Precondition: The cell lies on the grid.
  public subscript(column: Int, row: Int) -> MapCell { cells[row * columns + column] }

  /// The character in a cell; nil for the right half of a wide character.
  public func character(atColumn column: Int, row: Int) -> Character? {
    let cell = self[column, row]
    if cell.isContinuation { return nil }
    return cell.cluster == 0 ? Character(cell.scalar) : clusters[Int(cell.cluster) - 1]
  }

  /// A row as text, without its trailing spaces.
  public func line(_ row: Int) -> String {
    var line = String()
    line.reserveCapacity(columns * 3)
    for column in 0..<columns {
      if let character = character(atColumn: column, row: row) { line.append(character) }
    }
    while line.last == " " { line.removeLast() }
    return line
  }

  /// All rows, separated by line feeds.
  public var text: String { (0..<rows).map(line).joined(separator: "\n") }

  /// The topmost pin whose glyph occupies this cell, else the one whose label does.
  public func pin(atColumn column: Int, row: Int) -> PlacedPin? {
    pins.last { $0.span.contains(column: column, row: row) }
      ?? pins.last { $0.label?.contains(column: column, row: row) == true }
  }

  /// The arrow whose glyph or text occupies this cell.
  public func arrow(atColumn column: Int, row: Int) -> EdgeArrow? {
    arrows.first { $0.span.contains(column: column, row: row) }
  }

  /// The pin that contains the marker with this id.
  public func pin(of id: String) -> PlacedPin? { pins.first { $0.ids.contains(id) } }
}

extension MapFrame {
  /// Overwrites cells with text; the cells must lie on the grid.
  mutating func write(
    _ text: CellText, column: Int, row: Int, ink: MapInk, tag: UInt8 = 0,
    traits: MapCell.Traits = []
  ) {
    var index = row * columns + column
    for piece in text.pieces {
      let scalars = piece.character.unicodeScalars
      let first = scalars[scalars.startIndex]
      let isSingle = scalars.index(after: scalars.startIndex) == scalars.endIndex
      if !isSingle { clusters.append(piece.character) }
      cells[index].set(first, cluster: isSingle ? 0 : clusters.count, ink, tag, traits)
      for offset in 1..<max(piece.width, 1) {
        cells[index + offset].set(" ", cluster: 0, ink, tag, traits.union(.continuation))
      }
      index += piece.width
    }
    clearFill(column - 1, row)
    clearFill(column + text.width, row)
  }

  /// Clears the pattern beside a text, where it would read as punctuation.
  private mutating func clearFill(_ column: Int, _ row: Int) {
    guard column >= 0, column < columns, cells[row * columns + column].ink.isPattern else { return }
    cells[row * columns + column].scalar = " "
    cells[row * columns + column].upperFill = cells[row * columns + column].fill
  }
}

extension MapCell {
  /// Replaces what is drawn; what lies under it stays.
  fileprivate mutating func set(
    _ scalar: Unicode.Scalar, cluster: Int, _ ink: MapInk, _ tag: UInt8, _ traits: Traits
  ) {
    self.scalar = scalar
    self.cluster = UInt16(truncatingIfNeeded: cluster)
    self.ink = ink
    self.tag = tag
    self.traits = traits
    upperFill = fill
  }
}
