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
