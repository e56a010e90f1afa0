import RallyMap

/// Collects the shapes and labels of a `GroundTile`.
struct GroundTileBuilder {
  /// The most bytes of a name that are looked at, and the most characters that are kept.
  private static let nameByteLimit = 1_024
  private static let nameLimit = 80

  private var tile: GroundTile
  private var nameIndices: [String: Int32] = [:]
  /// Units of the current layer along a side of the tile.
  private var layerExtent = 1

  init(address: TileAddress, extent: Int) { tile = GroundTile(address: address, extent: extent) }

  /// The tile, in no more memory than `GroundTile.byteCount` says.
  consuming func finished() -> GroundTile {
    tile.shapes.shrink()
    tile.labels.shrink()
    tile.parts.shrink()
    tile.vertices.shrink()
    return tile
  }

  /// Adds the features of a layer by the schema's rule.
  mutating func add(_ layer: VectorTileLayer, by schema: SchemaLayer) throws(VectorTileError) {
    let dictionary = try layer.dictionary()
    layerExtent = layer.extent
    // Names by the index of their value: -1 not looked up, -2 no name.
    var names = ContiguousArray<Int32>(repeating: -1, count: dictionary.valueCount)
    var properties = SchemaFeature(dictionary, fields: schema.fields)
    try layer.forEachFeature { feature throws(VectorTileError) in
      try properties.read(feature)
      guard let found = schema.rule(properties) else { return }
      var shape = found.shape
      if let kind = shape, (kind.isArea ? .polygon : .line) != feature.type { shape = nil }
      var name: Int32?
      if let label = found.label { name = self.name(of: properties, label: label, known: &names) }
      // Points have no shape, and areas are not named by their outline.
      guard shape != nil || name != nil && feature.type != .polygon else { return }
      try add(feature, shape: shape, label: found, name: name)
    }
  }

  private mutating func add(
    _ feature: VectorTileFeature, shape: GroundKind?, label: GroundClass, name: Int32?
  ) throws(VectorTileError) {
    let rank = UInt8(min(max(label.rank, 0), 255))
    guard feature.type != .point else {
      guard let name, let kind = label.label, kind.isPoint else { return }
      if let point = try firstPoint(of: feature) { add(point, kind, name, rank) }
      return
    }
    guard let added = try addParts(of: feature) else { return }
    if let shape {
      tile.shapes.append(
        GroundTile.Shape(kind: shape, parts: added.parts, low: added.low, high: added.high))
    }
    guard let name, let kind = label.label, feature.type == .line else { return }
    if kind.isPoint {
      add(middle(of: added.parts), kind, name, rank)
    } else {
      tile.labels.append(GroundTile.Label(kind: kind, name: name, rank: rank, parts: added.parts))
    }
  }

  // MARK: Points

  /// Adds a label at a point, unless it lies in the buffer: the neighbouring tile has it too.
  private mutating func add(
    _ point: GroundTile.Vertex, _ kind: GroundLabelKind, _ name: Int32, _ rank: UInt8
  ) {
    let inside = 0..<tile.extent
    guard inside.contains(Int(point.x)), inside.contains(Int(point.y)) else { return }
    let vertex = Int32(tile.vertices.count)
    let part = Int32(tile.parts.count)
    tile.vertices.append(point)
    tile.parts.append(vertex..<vertex + 1)
    tile.labels.append(GroundTile.Label(kind: kind, name: name, rank: rank, parts: part..<part + 1))
  }

  private func firstPoint(of feature: VectorTileFeature) throws(VectorTileError)
    -> GroundTile.Vertex?
  {
    var geometry = feature.geometry
    var first: GroundTile.Vertex?
    while try geometry.next() != nil {
      if first == nil { first = vertex(geometry.x, geometry.y) }
    }
    return first
  }

  /// The middle point of the longest part: where a lake is named that is labelled along a line.
  private func middle(of parts: Range<Int32>) -> GroundTile.Vertex {
    let ranges = tile.parts[Int(parts.lowerBound)..<Int(parts.upperBound)]
    let longest = ranges.max { $0.count < $1.count } ?? 0..<1
    return tile.vertices[Int(longest.lowerBound) + longest.count / 2]
  }

  // MARK: Lines and areas

  /// Appends the runs of a line or the rings of an area; nil if nothing is left of it.
  private mutating func addParts(of feature: VectorTileFeature) throws(VectorTileError) -> (
    parts: Range<Int32>, low: GroundTile.Vertex, high: GroundTile.Vertex
  )? {
    let firstPart = tile.parts.count
    let isArea = feature.type == .polygon
    let start = tile.vertices.count
    var begin = start
    var geometry = feature.geometry
    while let step = try geometry.next() {
      if step != .line { endPart(from: &begin, isArea: isArea) }
      if step == .close { continue }
      let vertex = vertex(geometry.x, geometry.y)
      if tile.vertices.count > begin, tile.vertices[tile.vertices.count - 1] == vertex { continue }
      tile.vertices.append(vertex)
    }
    endPart(from: &begin, isArea: isArea)
    guard tile.parts.count > firstPart else { return nil }
    var (low, high) = (tile.vertices[start], tile.vertices[start])
    for vertex in tile.vertices[start...] {
      low = GroundTile.Vertex(x: min(low.x, vertex.x), y: min(low.y, vertex.y))
      high = GroundTile.Vertex(x: max(high.x, vertex.x), y: max(high.y, vertex.y))
    }
    return (Int32(firstPart)..<Int32(tile.parts.count), low, high)
  }

  /// Ends a ring or run; one that is too short to be seen is dropped.
  private mutating func endPart(from begin: inout Int, isArea: Bool) {
    if isArea, tile.vertices.count > begin + 1, tile.vertices.last == tile.vertices[begin] {
      tile.vertices.removeLast()
    }
    if tile.vertices.count - begin >= (isArea ? 3 : 2) {
      tile.parts.append(Int32(begin)..<Int32(tile.vertices.count))
    } else {
      tile.vertices.removeLast(tile.vertices.count - begin)
    }
    begin = tile.vertices.count
  }

  /// A point in the tile's units. What lies more than a tile's side beyond the edges is moved there,
  /// so that coordinates never wrap around.
  @inline(__always)
  private func vertex(_ x: Int, _ y: Int) -> GroundTile.Vertex {
    GroundTile.Vertex(x: coordinate(x), y: coordinate(y))
  }

  @inline(__always)
  private func coordinate(_ value: Int) -> Int16 {
    var value = min(max(value, -layerExtent), 2 * layerExtent)
    if layerExtent != tile.extent {
      value = Int((Double(value) * Double(tile.extent) / Double(layerExtent)).rounded())
    }
    return Int16(min(value, Int(Int16.max)))
  }

  // MARK: Names

  /// The index of a feature's name among the tile's names; nil if it has none that can be seen.
  private mutating func name(
    of feature: SchemaFeature, label: GroundLabelKind, known: inout ContiguousArray<Int32>
  ) -> Int32? {
    let name = feature.index(.name) ?? feature.index(.otherName)
    let reference = feature.index(.reference)
    // Motorways are known by their number, and main roads out of town often have nothing else.
    let value =
      switch label {
      case .motorway: reference ?? name
      case .primary: name ?? reference
      default: name
      }
    guard let value else { return nil }
    if known[value] == -1 {
      let text = feature.text(at: value, limit: Self.nameByteLimit) ?? ""
      // A road with several numbers has them in one value; the first is the most important.
      let isReference = value == reference
      known[value] = intern(isReference ? String(text.prefix { $0 != ";" && $0 != "\n" }) : text)
    }
    return known[value] < 0 ? nil : known[value]
  }

  /// - Returns: The name's index; -2 for a name without anything that can be seen.
  private mutating func intern(_ text: String) -> Int32 {
    let cleaned = ArchiveText.line(text, limit: Self.nameLimit)
    guard !cleaned.isEmpty else { return -2 }
    if let index = nameIndices[cleaned] { return index }
    let index = Int32(tile.names.count)
    tile.names.append(cleaned)
    nameIndices[cleaned] = index
    return index
  }
}

extension ContiguousArray {
  /// Gives the room back that appending reserved.
  fileprivate mutating func shrink() {
    var copy = ContiguousArray()
    copy.reserveCapacity(count)
    copy += self
    self = copy
  }
}

extension GroundTile {
  /// The largest extent that leaves room in `Vertex` for a whole tile's side on either side.
  private static let maximumExtent = 1 << 14

  /// Decodes a Mapbox vector tile of one of the map's schemas: OpenMapTiles, the Protomaps basemap
  /// 4, or Shortbread, recognised by the tile's layers. Other tiles give an empty `GroundTile`, as
  /// do layers and classes that the map does not draw.
  ///
  /// - Parameters:
  ///   - bytes: The unzipped tile.
  ///   - address: Where the tile lies.
  /// - Throws: `VectorTileError` when the tile is damaged.
  public init(vectorTile bytes: [UInt8], at address: TileAddress) throws(VectorTileError) {
    self = try bytes.withUnsafeBufferPointer { bytes throws(VectorTileError) in
      try Self.decoded(UnsafeRawBufferPointer(bytes), at: address)
    }
  }

  private static func decoded(
    _ bytes: UnsafeRawBufferPointer, at address: TileAddress
  ) throws(VectorTileError) -> GroundTile {
    let layers = try VectorTile.layers(in: bytes)
    guard let schema = try VectorSchema(of: layers) else {
      return GroundTile(address: address, extent: 4_096)
    }
    let wanted = layers.compactMap { layer in
      schema.layer(layer.name).map { (layer: layer, schema: $0) }
    }
    let extent = wanted.map(\.layer.extent).max() ?? maximumExtent
    var builder = GroundTileBuilder(address: address, extent: min(extent, maximumExtent))
    for (layer, schema) in wanted { try builder.add(layer, by: schema) }
    return builder.finished()
  }
}
