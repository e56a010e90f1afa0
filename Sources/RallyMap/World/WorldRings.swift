/// The arcs of the finest level that form each country's outline, for hit tests. About 50 kB.
struct WorldRings: Sendable {
  struct Ring: Sendable {
    let country: UInt16
    let minX: UInt16
    let minY: UInt16
    let maxX: UInt16
    let maxY: UInt16
    let firstArc: UInt32
    let arcCount: UInt32

    var arcs: Range<Int> { Int(firstArc)..<Int(firstArc) + Int(arcCount) }
  }

  /// Grouped by country, in the order of `WorldMap.countries()`.
  let rings: ContiguousArray<Ring>
  /// Arc indices; an arc traversed backward is stored as ~index.
  let arcs: ContiguousArray<Int32>

  /// Decodes the ring list: count, then per ring its country, number of arcs and the arcs.
  init(_ reader: inout ByteReader, level: WorldLevel, countries: Int) throws(WorldMapError) {
    let count = try reader.count(bytesEach: 2)
    var rings = ContiguousArray<Ring>()
    var arcs = ContiguousArray<Int32>()
    rings.reserveCapacity(count)
    arcs.reserveCapacity(reader.remaining / 2)
    var previous = 0
    for _ in 0..<count {
      let start = reader.offset
      let country = try reader.index(below: countries)
      guard country >= previous, let exact = UInt16(exactly: country) else {
        throw .impossibleValue(offset: start)
      }
      previous = country
      let first = arcs.count
      for _ in 0..<(try reader.count(bytesEach: 1)) {
        let arc = try reader.zigzag()
        guard arc < level.arcCount, ~arc < level.arcCount else {
          throw .impossibleValue(offset: start)
        }
        arcs.append(Int32(arc))
      }
      rings.append(Self.ring(of: exact, arcs: arcs, from: first, level: level))
    }
    self.rings = rings
    self.arcs = arcs
  }

  private static func ring(
    of country: UInt16, arcs: ContiguousArray<Int32>, from first: Int, level: WorldLevel
  ) -> Ring {
    var (minX, minY, maxX, maxY) = (UInt16.max, UInt16.max, UInt16.min, UInt16.min)
    for arc in arcs[first...] {
      for chunk in level.chunks[level.chunks(ofArc: Self.index(of: arc))] {
        minX = min(minX, chunk.minX)
        minY = min(minY, chunk.minY)
        maxX = max(maxX, chunk.maxX)
        maxY = max(maxY, chunk.maxY)
      }
    }
    return Ring(
      country: country, minX: minX, minY: minY, maxX: maxX, maxY: maxY, firstArc: UInt32(first),
      arcCount: UInt32(arcs.count - first))
  }

  /// The index of an arc, whichever way it is traversed.
  static func index(of arc: Int32) -> Int { Int(arc < 0 ? ~arc : arc) }
}
