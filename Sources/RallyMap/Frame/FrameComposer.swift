/// Composes one frame: draws markers and names over the base layer, in order of placement priority.
struct FrameComposer {
  let viewport: Viewport
  let options: MapOptions
  let measure: (Character) -> Int
  let distanceText: (Double, Double) -> String
  let projection: CellProjection
  var frame: MapFrame
  var placer: LabelPlacer

  /// Placed markers, highest rank first, with the occupancy owner of their cells.
  private var pins: [Pin] = []

  private struct Pin {
    var cluster: MarkerClusters.Cluster
    var text: CellText
    var span: CellSpan
    var owner: Int32
    var label: CellSpan?
  }

  init(
    _ viewport: Viewport, options: MapOptions, canvas: DotCanvas, fills: FillGrid,
    night: NightMask?,
    last: [LabelKey: LabelSide], measure: @escaping (Character) -> Int,
    distanceText: @escaping (Double, Double) -> String
  ) {
    self.viewport = viewport
    self.options = options
    self.measure = measure
    self.distanceText = distanceText
    projection = CellProjection(viewport)
    placer = LabelPlacer(columns: viewport.columns, rows: viewport.rows, last: last)
    frame = MapFrame(
      viewport: viewport,
      cells: Self.cells(canvas, fills: fills, night: night, options: options),
      clusters: [], pins: [], arrows: [], names: [])
    frame.paintsAreas = options.fillStyle == .background
  }

  /// Converts dots to glyphs.
  private static func cells(
    _ canvas: DotCanvas, fills: FillGrid, night: NightMask?, options: MapOptions
  ) -> ContiguousArray<MapCell> {
    let glyphs = options.glyphs
    let table = CellGlyphs.table(glyphs)
    let splitsCells = options.fillStyle == .background && glyphs != .ascii
    let count = canvas.columns * canvas.rows
    return ContiguousArray(capacity: count) { cells in
      for index in 0..<count {
        let ink = canvas.inks[index]
        let dots = canvas.dots[index]
        var scalar = table[Int(dots)]
        if glyphs == .ascii, let pattern = ink.asciiPattern, dots != 0 {
          scalar = pattern
        }
        let (column, row) = (index % canvas.columns, index / canvas.columns)
        let (upper, lower) = (fills.upper(column, row), fills.lower(column, row))
        let isSplit = splitsCells && dots == 0 && upper != lower
        if isSplit { scalar = "▀" }
        cells.append(
          MapCell(
            scalar: scalar, ink: ink, tag: canvas.tags[index], fill: lower,
            upperFill: isSplit ? upper : lower,
            night: night?.depths[index] ?? 0, disc: canvas.discs[index]))
      }
    }
  }

  // MARK: Pins

  /// Assigns cells to every visible marker: its own, or free ones up to three cells away if a
  /// higher marker is there. Without free ones they overlap.
  mutating func placePins(_ clusters: [MarkerClusters.Cluster], _ markers: [MapMarker]) {
    pins.reserveCapacity(clusters.count)
    for cluster in clusters {
      let text = pinText(cluster, markers)
      let owner = placer.newOwner()
      let span = freeSpan(near: cluster, width: text.width)
      placer.occupancy.take(span, owner: owner)
      pins.append(Pin(cluster: cluster, text: text, span: span, owner: owner))
    }
  }

  private func pinText(_ cluster: MarkerClusters.Cluster, _ markers: [MapMarker]) -> CellText {
    let glyph = Self.initial(of: cluster, markers) ?? markers[cluster.members[0]].glyph
    var text = CellText()
    text.append(glyph, min(max(measure(glyph), 1), viewport.columns))
    let count = cluster.members.count
    guard count > 1 else { return text }
    // At most four cells, the minimum distance between cluster anchors in a row.
    for digit in count < 1000 ? "\(count)" : "\(count / 1000)k" where text.width < viewport.columns
    {
      text.append(digit, 1)
    }
    return text
  }

  /// The letter that stands for a marker; nil for those of a cluster.
  private static func initial(
    of cluster: MarkerClusters.Cluster, _ markers: [MapMarker]
  ) -> Character? {
    cluster.members.count == 1 ? markers[cluster.members[0]].initial : nil
  }

  private func freeSpan(near cluster: MarkerClusters.Cluster, width: Int) -> CellSpan {
    func span(_ columns: Int, _ rows: Int) -> CellSpan {
      CellSpan(
        column: min(max(cluster.column + columns, 0), viewport.columns - width),
        row: min(max(cluster.row + rows, 0), viewport.rows - 1), width: width)
    }
    let own = span(0, 0)
    if placer.occupancy.isFree(own) { return own }
    for distance in 1...3 {
      for (columns, rows) in [
        (distance, 0), (-distance - width + 1, 0), (0, distance), (0, -distance),
        (distance, distance), (-distance, distance), (distance, -distance), (-distance, -distance),
      ] where placer.occupancy.isFree(span(columns, rows)) {
        return span(columns, rows)
      }
    }
    return own
  }

  // MARK: Marker labels

  /// Places course arrows and labels beside their markers.
  mutating func placeMarkerLabels(_ markers: [MapMarker]) {
    for index in pins.indices {
      let pin = pins[index]
      let marker = markers[pin.cluster.members[0]]
      let isCluster = pin.cluster.members.count > 1
      if let course = marker.course, course.isFinite, !isCluster {
        writeCourse(course, of: pin, tag: marker.tag)
      }
      guard options.showsMarkerLabels, !marker.label.isEmpty else { continue }
      var text = CellText(marker.label, width: measure)
        .truncated(to: Self.longestLabel, ellipsis: options.ellipsis)
      if isCluster { text.append(options.ellipsis, 1) }
      // A digit or a letter would read as part of the label.
      let isApart = isCluster || Self.initial(of: pin.cluster, markers) != nil
      guard
        let found = placer.place(
          .marker(marker.id), width: text.width, around: isApart ? pin.span.widened : pin.span,
          owner: pin.owner, sides: LabelSide.aroundPoint)
      else { continue }
      if isApart { blankGap(between: pin.span, and: found.span, tag: marker.tag) }
      pins[index].label = found.span
      frame.write(
        text, column: found.span.column, row: found.span.row, ink: .markerLabel, tag: marker.tag)
    }
  }

  private static let longestLabel = 20

  /// Blanks the cell between a pin and its label, so that no map dot reads as part of either.
  private mutating func blankGap(between pin: CellSpan, and label: CellSpan, tag: UInt8) {
    guard pin.row == label.row else { return }
    let column = label.column > pin.column ? label.column - 1 : label.column + label.width
    var gap = CellText()
    gap.append(" ", 1)
    frame.write(gap, column: column, row: pin.row, ink: .markerLabel, tag: tag)
  }

  private mutating func writeCourse(_ course: Double, of pin: Pin, tag: UInt8) {
    let direction = CompassPoint(bearing: course)
    let column =
      direction.step.column > 0
      ? pin.span.column + pin.span.width : pin.span.column + direction.step.column
    let span = CellSpan(column: column, row: pin.span.row + direction.step.row, width: 1)
    guard placer.occupancy.isFree(span) else { return }
    placer.occupancy.take(span, owner: placer.newOwner())
    var text = CellText()
    text.append(direction.arrow(options.glyphs), 1)
    frame.write(text, column: span.column, row: span.row, ink: .markerLabel, tag: tag)
  }

  // MARK: Place names

  /// Places the names of the built-in world, except where tiles have names of their own.
  mutating func placeNames(
    _ names: PlaceLabels, except isCovered: (_ column: Int, _ row: Int) -> Bool
  ) {
    var cities = 0
    for name in Self.calm(names.names, placer) where !isCovered(name.column, name.row) {
      switch name.key {
      case .country(let id): placeCountry(name, id: id)
      case .city(let id) where cities < names.cityLimit: if placeCity(name, id: id) { cities += 1 }
      case .city, .marker: break
      }
    }
  }

  /// Stabilises the order: among names of equal rounded importance, those shown in the last frame
  /// come first.
  private static func calm(_ names: [PlaceName], _ placer: LabelPlacer) -> [PlaceName] {
    names.enumerated().map {
      (offset: $0.offset, name: $0.element, stood: placer.stood($0.element.key))
    }
    .sorted { left, right in
      let (leftStep, rightStep) = (left.name.importance.rounded(), right.name.importance.rounded())
      if leftStep != rightStep { return leftStep > rightStep }
      return left.stood == right.stood ? left.offset < right.offset : left.stood
    }
    .map(\.name)
  }

  private mutating func placeCity(_ name: PlaceName, id: Int) -> Bool {
    let anchor = CellSpan(column: name.column, row: name.row, width: 1)
    guard placer.occupancy.isFree(anchor) else { return false }
    let owner = placer.newOwner()
    guard
      let found = placer.place(
        name.key, width: name.text.width, around: anchor, owner: owner,
        sides: LabelSide.aroundPoint)
    else { return false }
    placer.occupancy.take(anchor, owner: owner)
    var dot = CellText()
    dot.append(options.cityDot(isCapital: name.isCapital), 1)
    let traits: MapCell.Traits = name.isCapital ? .capital : []
    frame.write(dot, column: anchor.column, row: anchor.row, ink: .cityLabel, traits: traits)
    frame.write(
      name.text, column: found.span.column, row: found.span.row, ink: .cityLabel, traits: traits)
    frame.names.append(PlacedName(place: .city(id), span: found.span, anchor: anchor))
    return true
  }

  private mutating func placeCountry(_ name: PlaceName, id: Int) {
    let anchor = CellSpan(column: name.column, row: name.row, width: 1)
    guard
      let found = placer.place(
        name.key, width: name.text.width, around: anchor, owner: placer.newOwner(),
        sides: LabelSide.overArea)
    else { return }
    frame.write(name.text, column: found.span.column, row: found.span.row, ink: .countryLabel)
    frame.names.append(PlacedName(place: .country(id), span: found.span, anchor: anchor))
  }

  // MARK: Finishing

  /// Draws the pins on top, the highest rank last, and returns the frame.
  consuming func finished(_ markers: [MapMarker]) -> MapFrame {
    frame.pins.reserveCapacity(pins.count)
    for pin in pins.reversed() {
      let first = markers[pin.cluster.members[0]]
      let ink: MapInk = Self.initial(of: pin.cluster, markers) == nil ? .marker : .initial
      frame.write(pin.text, column: pin.span.column, row: pin.span.row, ink: ink, tag: first.tag)
      frame.pins.append(
        PlacedPin(
          ids: pin.cluster.members.map { markers[$0].id }, span: pin.span, label: pin.label,
          tag: first.tag))
    }
    return frame
  }
}

extension MapOptions {
  var ellipsis: Character { glyphs == .ascii ? "~" : "…" }

  func cityDot(isCapital: Bool) -> Character {
    switch glyphs {
    case .braille, .sextants, .blocks: isCapital ? "◦" : "·"
    case .ascii: isCapital ? "+" : "."
    }
  }
}

extension FrameComposer {
  /// Places names of places, streets and water, each once.
  ///
  /// First those that stood in the last frame, where they stood: a name that comes into view moves
  /// no other. Then the rest, the most important first.
  ///
  /// - Parameter last: The lattice cells at which names started in the last frame.
  /// - Returns: The same for this frame.
  mutating func placeGroundNames(
    _ names: GroundNames, last: [String: LatticeCell]
  ) -> [String: LatticeCell] {
    let origin = viewport.origin
    var placed: [String: LatticeCell] = [:]
    for name in names.names where placed[name.name] == nil {
      guard let cell = last[name.name] else { continue }
      let stood = CellSpan(
        column: cell.column - origin.column, row: cell.row - origin.row, width: name.text.width)
      if hasRoom(stood) {
        write(name, at: stood)
        placed[name.name] = cell
      }
    }
    for name in names.names where placed[name.name] == nil && placed.count < names.limit {
      guard let span = name.spots.first(where: { hasRoom($0) }) else { continue }
      write(name, at: span)
      placed[name.name] = LatticeCell(
        column: span.column + origin.column, row: span.row + origin.row)
    }
    return placed
  }

  private mutating func write(_ name: GroundName, at span: CellSpan) {
    placer.occupancy.take(span, owner: placer.newOwner())
    frame.write(name.text, column: span.column, row: span.row, ink: name.kind.ink)
    frame.names.append(PlacedName(place: .ground(name.name), span: span, anchor: span))
  }

  /// Whether a name may stand here: it is on the grid, no other text touches it on any side, and
  /// the last row is left to the scale.
  private func hasRoom(_ span: CellSpan) -> Bool {
    guard span.row < viewport.rows - 1, placer.occupancy.isFree(span, margin: 1) else {
      return false
    }
    return [-1, 1].allSatisfy { step in
      let row = span.row + step
      let beside = CellSpan(column: span.column, row: row, width: span.width)
      return !(0..<viewport.rows).contains(row) || placer.occupancy.isFree(beside)
    }
  }
}

extension FrameComposer {
  /// Writes what the rings stand for where markers and their labels leave room, and arrows to the
  /// nearest towns out of view.
  ///
  /// - Parameters:
  ///   - towns: The nearest first.
  ///   - isCovered: Whether tiles cover a cell.
  mutating func placeNear(
    _ near: NearGrid, towns: [City], except isCovered: (_ column: Int, _ row: Int) -> Bool
  ) {
    if let metres = near.metres {
      for number in NearGrid.rings {
        let radius = near.step * Double(number)
        let text = CellText(
          DistanceText(metres: metres * Double(number)).description, width: measure)
        let (x, y) = near.center
        let slant = radius * 0.5.squareRoot()
        // At the top of the ring, or where else it is in view and free.
        for spot in [
          (x, y - radius), (x, y + radius), (x + radius, y), (x - radius, y),
          (x + slant, y - slant), (x - slant, y - slant), (x + slant, y + slant),
          (x - slant, y + slant),
        ] {
          let span = CellSpan(
            column: Int((spot.0 / 2).rounded(.down)) - text.width / 2,
            row: Int((spot.1 / 4).rounded(.down)), width: text.width)
          guard placer.occupancy.isFree(span, margin: 1), !isCovered(span.column, span.row) else {
            continue
          }
          placer.occupancy.take(span, owner: placer.newOwner())
          frame.write(text, column: span.column, row: span.row, ink: .gridLabel)
          break
        }
      }
    }
    // Far from oneself the way from there says nothing.
    let own = near.metres == nil ? nil : options.distanceOrigin
    for town in towns.prefix(4) {
      placeArrow(to: town, from: own ?? viewport.center, except: isCovered)
    }
  }
}
