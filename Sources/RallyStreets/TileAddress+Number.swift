import RallyMap

extension TileAddress {
  /// The tile's number in PMTiles archives: all tiles of lower zooms first, then the position along
  /// the Hilbert curve of its zoom (PMTiles specification, version 3, section 4.1).
  var number: UInt64 {
    let side = UInt64(1) << UInt64(zoom)
    let before = (side * side - 1) / 3
    var (x, y, index) = (UInt64(self.x), UInt64(self.y), UInt64(0))
    var half = side >> 1
    while half > 0 {
      let right: UInt64 = x & half == 0 ? 0 : 1
      let lower: UInt64 = y & half == 0 ? 0 : 1
      index += half * half * ((3 * right) ^ lower)
      if lower == 0 {
        if right == 1 { (x, y) = (half &- 1 &- x, half &- 1 &- y) }
        swap(&x, &y)
      }
      half >>= 1
    }
    return before + index
  }
}
