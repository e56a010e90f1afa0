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

  /// The tile with this number; nil beyond the last zoom.
  init?(number: UInt64) {
    let zoom = TileAddress.zoom(ofNumber: number)
    var rest = number - TileAddress.firstNumber(ofZoom: zoom)
    var (x, y) = (UInt64(0), UInt64(0))
    var half: UInt64 = 1
    while half < UInt64(1) << UInt64(zoom) {
      let right = (rest >> 1) & 1
      let lower = (rest ^ right) & 1
      if lower == 0 {
        if right == 1 { (x, y) = (half - 1 - x, half - 1 - y) }
        swap(&x, &y)
      }
      (x, y) = (x + half * right, y + half * lower)
      rest >>= 2
      half <<= 1
    }
    guard rest == 0 else { return nil }
    self.init(zoom: zoom, x: Int(x), y: Int(y))
  }
}
