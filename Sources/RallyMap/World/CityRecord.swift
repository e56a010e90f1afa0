/// A decoded city in 24 bytes; its names stay in the blob.
struct CityRecord: Sendable {
  /// Web Mercator coordinates in units of 1/2^24 of the world's width.
  let x: UInt32
  let y: UInt32
  let population: UInt32
  /// Offset of the name in the blob; the folded name follows it.
  let nameStart: UInt32
  let country: UInt16
  let timeZone: UInt16
  let nameLength: UInt8
  /// Byte length of the search text (folded and alternative names); 0 to search the name itself.
  let foldedLength: UInt8
  let isCapital: Bool

  private static let scale = 16_777_216.0

  var nameRange: Range<Int> {
    Int(nameStart)..<Int(nameStart) + Int(nameLength)
  }

  /// The bytes that a search compares. Lower case, except when it is the name itself.
  var searchedRange: Range<Int> {
    if foldedLength == 0 { return nameRange }
    let start = nameRange.upperBound + 1
    return start..<start + Int(foldedLength)
  }

  var worldPoint: WorldPoint { WorldPoint(x: Double(x) / Self.scale, y: Double(y) / Self.scale) }

  /// Decodes the city list: count, largest population, then per city its coordinates, the decrease
  /// in population from the previous city, country, time zone (shifted by the capital bit), name
  /// and folded name. Texts are shorter than 128 bytes.
  static func readAll(
    _ reader: inout ByteReader, countries: Int, zones: Int
  ) throws(WorldMapError) -> ContiguousArray<CityRecord> {
    let count = try reader.count(bytesEach: 11)
    var population = try reader.varint()
    var records = ContiguousArray<CityRecord>()
    records.reserveCapacity(count)
    for _ in 0..<count {
      let (x, y) = (try reader.uint24(), try reader.uint24())
      population -= try reader.varint()
      let country = try reader.index(below: countries)
      let zone = try reader.index(below: zones * 2)
      let name = try reader.textRange()
      let folded = try reader.textRange()
      guard let exactPopulation = UInt32(exactly: population), name.count < 128,
        folded.count < 128, let country = UInt16(exactly: country),
        let zone = UInt16(exactly: zone)
      else {
        throw .impossibleValue(offset: reader.offset)
      }
      records.append(
        CityRecord(
          x: x, y: y, population: exactPopulation, nameStart: UInt32(name.lowerBound),
          country: country, timeZone: zone >> 1, nameLength: UInt8(name.count),
          foldedLength: UInt8(folded.count), isCapital: zone & 1 != 0))
    }
    return records
  }
}
