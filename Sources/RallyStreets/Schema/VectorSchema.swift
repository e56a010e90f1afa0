import RallyMap

/// The schemas of vector tiles whose layers the map can draw.
enum VectorSchema: CaseIterable {
  case openMapTiles
  case protomaps
  case shortbread

  var layers: [SchemaLayer] {
    switch self {
    case .openMapTiles: OpenMapTilesSchema.layers
    case .protomaps: ProtomapsSchema.layers
    case .shortbread: ShortbreadSchema.layers
    }
  }

  /// The schema of a tile; nil when no schema has any of its layers.
  ///
  /// The schema that has most of the layers. Tiles at sea or in the woods may have a single layer
  /// whose name two schemas share (`water`, `landuse`, `buildings`). Then it is the schema whose
  /// classifying keys these layers have (`class`, `kind`, `admin_level`), and at last the first in
  /// the order above.
  init?(of layers: [VectorTileLayer]) throws(VectorTileError) {
    let counts = Self.allCases.map { schema in layers.count { schema.layer($0.name) != nil } }
    guard let most = counts.max(), most > 0 else { return nil }
    let equals = zip(Self.allCases, counts).filter { $0.1 == most }.map(\.0)
    var best = (schema: equals[0], keys: -1)
    for schema in equals where equals.count > 1 {
      var keys = 0
      for layer in layers where try schema.hasClassifyingKey(layer) { keys += 1 }
      if keys > best.keys { best = (schema, keys) }
    }
    self = best.schema
  }

  func layer(_ name: String) -> SchemaLayer? { layers.first { $0.name == name } }

  private func hasClassifyingKey(_ layer: VectorTileLayer) throws(VectorTileError) -> Bool {
    guard let known = self.layer(layer.name) else { return false }
    let dictionary = try layer.dictionary()
    return (0..<dictionary.keyCount).contains { known.fields[dictionary.key(at: $0)] == .kind }
  }
}

/// How the features of one layer of a schema are brought to the map's classes.
struct SchemaLayer: Sendable {
  let name: String
  /// The keys of the properties that the rule reads.
  let fields: [String: SchemaField]
  /// The class of a feature; nil for features that are not drawn.
  let rule: @Sendable (SchemaFeature) -> GroundClass?
}

/// What a property means to the rules, whichever key the schema has for it.
enum SchemaField: Int, CaseIterable {
  /// The class; its key also distinguishes schemas with layers of one name.
  case kind
  /// The class in finer steps.
  case detail
  case name
  /// The name where `name` is missing.
  case otherName
  /// The number of a road: `A 8`.
  case reference
  /// What orders labels of one kind: a rank, a population, an area, a zoom.
  case rank
  case tunnel
  case indoor
  case rail
  case maritime
}

/// The class of a feature.
///
/// Roads in tunnels are drawn without their names: who stands above is not in that street. Railways
/// and rivers in tunnels are not drawn.
struct GroundClass {
  var shape: GroundKind?
  var label: GroundLabelKind?
  /// Priority among labels of one kind, 0 first; values beyond 0...255 are clamped.
  var rank = 0
}

/// The properties of the current feature of a layer, by their meaning.
///
/// One value reads all features of a layer, so that a feature costs no allocation.
struct SchemaFeature {
  private let dictionary: VectorTileDictionary
  /// The meaning of each key of the dictionary; nil for a key that no rule reads.
  private let meanings: ContiguousArray<SchemaField?>
  /// The index of each field's value; -1 where the feature does not have the property.
  private var values: ContiguousArray<Int32>
  private(set) var type = VectorTileFeature.GeometryType.point

  init(_ dictionary: VectorTileDictionary, fields: [String: SchemaField]) {
    self.dictionary = dictionary
    meanings = ContiguousArray((0..<dictionary.keyCount).map { fields[dictionary.key(at: $0)] })
    values = ContiguousArray(repeating: -1, count: SchemaField.allCases.count)
  }

  mutating func read(_ feature: VectorTileFeature) throws(VectorTileError) {
    type = feature.type
    for field in values.indices { values[field] = -1 }
    try feature.forEachProperty(of: dictionary) { key, value throws(VectorTileError) in
      if let meaning = meanings[key] { values[meaning.rawValue] = Int32(value) }
    }
  }

  /// The index of a field's value; nil where the feature does not have the property.
  func index(_ field: SchemaField) -> Int? {
    let index = Int(values[field.rawValue])
    return index < 0 ? nil : index
  }

  /// A property's text; nil where it is missing or no text.
  func text(_ field: SchemaField) -> String? {
    index(field).flatMap { dictionary.textBytes(at: $0) }.map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// The first `limit` bytes of a value that is a text.
  func text(at index: Int, limit: Int) -> String? {
    dictionary.textBytes(at: index).map { String(decoding: $0.prefix(limit), as: UTF8.self) }
  }

  /// A property as a whole number, whichever type the encoder chose; nil where it is missing or a
  /// text.
  func integer(_ field: SchemaField) -> Int? {
    index(field).flatMap { try? dictionary.value(at: $0).integer }
  }

  /// Whether a property says yes: `true`, 1, `yes`, or any other text than `no`.
  func isSet(_ field: SchemaField) -> Bool {
    guard let text = text(field) else { return integer(field) ?? 0 != 0 }
    return !text.isEmpty && text != "no"
  }
}

/// What several schemas have in common, since all take their values from OpenStreetMap.
extension GroundClass {
  /// The rank of labels that have none.
  static let noRank = 99

  /// A boundary by OpenStreetMap's `admin_level`; nil for lower levels than regions, and at sea.
  init?(boundaryLevel level: Int?, isMaritime: Bool) {
    guard !isMaritime else { return nil }
    switch level {
    case 2: shape = .countryBoundary
    case 3, 4: shape = .regionBoundary
    default: return nil
    }
  }

  /// A place by OpenStreetMap's `place`; nil for countries, islands and lonely houses.
  init?(place: String?, rank: Int) {
    self.rank = min(max(rank, 0), Self.noRank)
    switch place {
    case "capital", "state_capital", "city": label = .city
    case "town": label = .town
    case "village": label = .village
    case "hamlet":
      label = .village
      self.rank += 100
    case "borough", "suburb": label = .quarter
    case "quarter":
      label = .quarter
      self.rank += 50
    case "neighbourhood":
      label = .quarter
      self.rank += 100
    default: return nil
    }
  }

  /// The rank for a population or an area, the larger the earlier: one step for each doubling.
  static func rank(ofSize size: Int?) -> Int {
    guard let size, size > 0 else { return noRank }
    return 64 - (Int.bitWidth - size.leadingZeroBitCount)
  }
}
