/// Other names of cities, found when they are typed whole. Each is stored as what differs from the
/// name before it, in the order of their bytes.
///
/// Kept are only the beginnings of blocks, about 10 kB: a name is looked for in one block of the
/// packed bytes.
struct WorldNames: Sendable {
  private struct Block {
    let first: [UInt8]
    /// Of the first name's entry.
    let offset: Int
    /// The name that the first entry is told by.
    let before: [UInt8]
  }

  private static let blockLength = 128

  private var blocks: [Block] = []
  private let end: Int
  private let cities: Int

  /// Reads all names once.
  ///
  /// - Throws: `WorldMapError` for damaged data.
  init(_ reader: inout ByteReader, cities: Int) throws(WorldMapError) {
    end = reader.offset + reader.remaining
    self.cities = cities
    var name: [UInt8] = []
    for index in 0..<(try reader.count(bytesEach: 3)) {
      let (offset, before) = (reader.offset, name)
      _ = try Self.next(&name, &reader, cities: cities)
      if index % Self.blockLength == 0 {
        blocks.append(Block(first: name, offset: offset, before: before))
      }
    }
  }

  /// The index of the city that a name leads to; nil if it is no other name.
  ///
  /// - Parameter wanted: As `TextFolding.foldedInAnyScript` writes it.
  /// - Throws: `WorldMapError` for damaged data.
  func city(called wanted: [UInt8], in bytes: WorldBytes) throws(WorldMapError) -> Int? {
    guard let block = blocks.last(where: { !wanted.lexicographicallyPrecedes($0.first) }) else {
      return nil
    }
    return try bytes.withBytes { raw throws(WorldMapError) -> Int? in
      var reader = ByteReader(raw, range: block.offset..<end)
      var name = block.before
      for _ in 0..<Self.blockLength where reader.remaining > 0 {
        let city = try Self.next(&name, &reader, cities: cities)
        if name == wanted { return city }
      }
      return nil
    }
  }

  /// Calls `body` with every name and the index of its city.
  static func forEach(
    _ reader: inout ByteReader, cities: Int, _ body: ([UInt8], Int) -> Void
  ) throws(WorldMapError) {
    var name: [UInt8] = []
    for _ in 0..<(try reader.count(bytesEach: 3)) {
      let city = try next(&name, &reader, cities: cities)
      body(name, city)
    }
  }

  /// Turns a name into the one after it.
  ///
  /// - Returns: The index of its city.
  private static func next(
    _ name: inout [UInt8], _ reader: inout ByteReader, cities: Int
  ) throws(WorldMapError) -> Int {
    let shared = Int(try reader.byte())
    guard shared <= name.count else { throw .impossibleValue(offset: reader.offset) }
    name.removeLast(name.count - shared)
    for _ in 0..<(try reader.count(bytesEach: 1)) { name.append(try reader.byte()) }
    guard name.count < 256 else { throw .impossibleValue(offset: reader.offset) }
    return try reader.index(below: cities)
  }
}
