/// Finds the country that contains a point: even-odd test over the rings of the finest level, after
/// a bounding-box check.
struct CountryHitTest: Sendable {
  let level: WorldLevel
  let rings: WorldRings

  /// The index of the country that contains a point in world units; nil at sea.
  func country(x: Double, y: Double) -> Int? {
    var current = -1
    var inside = false
    for ring in rings.rings {
      if Int(ring.country) != current {
        if inside { return current }
        current = Int(ring.country)
      }
      // A ring whose bounding box misses the point is crossed an even number of times.
      guard Double(ring.minX) <= x, x <= Double(ring.maxX), Double(ring.minY) <= y,
        y <= Double(ring.maxY)
      else { continue }
      for arc in rings.arcs[ring.arcs] where crosses(WorldRings.index(of: arc), x: x, y: y) {
        inside.toggle()
      }
    }
    return inside ? current : nil
  }

  /// Whether a ray from the point to the east crosses an arc an odd number of times. A vertex on
  /// the ray counts for the segment above it only.
  private func crosses(_ arc: Int, x: Double, y: Double) -> Bool {
    var odd = false
    for chunk in level.chunks[level.chunks(ofArc: arc)] {
      guard Double(chunk.minY) <= y, y <= Double(chunk.maxY), Double(chunk.maxX) >= x else {
        continue
      }
      for index in chunk.points.dropLast() {
        let (y0, y1) = (Double(level.ys[index]), Double(level.ys[index + 1]))
        guard (y0 <= y) != (y1 <= y) else { continue }
        let (x0, x1) = (Double(level.xs[index]), Double(level.xs[index + 1]))
        if x < x0 + (y - y0) / (y1 - y0) * (x1 - x0) { odd.toggle() }
      }
    }
    return odd
  }

  /// The country whose outline is nearest to a point outside of all countries, if nearer than
  /// `radius`. All in world units.
  ///
  /// Searches across the antimeridian. Seams count as outlines; that does not matter, since no sea
  /// is near a seam except at its ends.
  func nearestCountry(x: Double, y: Double, radius: Double) -> Int? {
    var best = radius * radius
    var found: Int?
    for shift in [0, -WorldUnits.span, WorldUnits.span] {
      let x = x + shift
      guard x > -radius, x < WorldUnits.span + radius else { continue }
      for ring in rings.rings
      where Double(ring.minX) - radius <= x && x <= Double(ring.maxX) + radius
        && Double(ring.minY) - radius <= y && y <= Double(ring.maxY) + radius
      {
        for arc in rings.arcs[ring.arcs] {
          let distance = squaredDistance(WorldRings.index(of: arc), x: x, y: y, below: best)
          if distance < best {
            best = distance
            found = Int(ring.country)
          }
        }
      }
    }
    return found
  }

  /// The squared distance to an arc, or `limit` if it is not smaller.
  private func squaredDistance(_ arc: Int, x: Double, y: Double, below limit: Double) -> Double {
    var best = limit
    for chunk in level.chunks[level.chunks(ofArc: arc)] {
      let beside = max(Double(chunk.minX) - x, x - Double(chunk.maxX), 0)
      let above = max(Double(chunk.minY) - y, y - Double(chunk.maxY), 0)
      guard beside * beside + above * above < best else { continue }
      for index in chunk.points.dropLast() {
        let (x0, y0) = (Double(level.xs[index]), Double(level.ys[index]))
        let (dx, dy) = (Double(level.xs[index + 1]) - x0, Double(level.ys[index + 1]) - y0)
        let length = dx * dx + dy * dy
        let along = length > 0 ? min(max(((x - x0) * dx + (y - y0) * dy) / length, 0), 1) : 0
        let (restX, restY) = (x - x0 - along * dx, y - y0 - along * dy)
        best = min(best, restX * restX + restY * restY)
      }
    }
    return best
  }
}

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
