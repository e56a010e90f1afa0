/// Other names of cities, found when they are typed whole. Each is stored as what differs from the
/// name before it, in the order of their bytes.
enum WorldNames {
  /// The index of the city that a name leads to; nil if it is no other name.
  ///
  /// - Parameter wanted: As `TextFolding.foldedInAnyScript` writes it.
  /// - Throws: `WorldMapError` for damaged data.
  static func city(
    called wanted: [UInt8], _ reader: inout ByteReader, cities: Int
  ) throws(WorldMapError) -> Int? {
    var found: Int?
    try forEach(&reader, cities: cities) { name, city in if name == wanted { found = city } }
    return found
  }

  /// Calls `body` with every name and the index of its city.
  static func forEach(
    _ reader: inout ByteReader, cities: Int, _ body: ([UInt8], Int) -> Void
  ) throws(WorldMapError) {
    var name: [UInt8] = []
    for _ in 0..<(try reader.count(bytesEach: 3)) {
      let shared = Int(try reader.byte())
      guard shared <= name.count else { throw .impossibleValue(offset: reader.offset) }
      name.removeLast(name.count - shared)
      for _ in 0..<(try reader.count(bytesEach: 1)) { name.append(try reader.byte()) }
      guard name.count < 256 else { throw .impossibleValue(offset: reader.offset) }
      body(name, try reader.index(below: cities))
    }
  }
}
