import RallyMap

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
