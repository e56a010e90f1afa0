/// The order of markers, the highest rank first, then by label, so that equal people stand alike
/// wherever their ids come from, then by id: remembered, since most frames have the same markers in
/// other places. A change of a label alone keeps the order.
struct MarkerOrder {
  private var ids: [String] = []
  private var ranks: [Int] = []
  private var order: [Int] = []

  /// Indices into `markers`.
  mutating func sorted(_ markers: [MapMarker]) -> [Int] {
    if markers.count == ids.count, isSame(markers) { return order }
    ids = markers.map(\.id)
    ranks = markers.map(\.rank)
    order = markers.indices.sorted { left, right in
      if ranks[left] != ranks[right] { return ranks[left] > ranks[right] }
      return (markers[left].label, ids[left]) < (markers[right].label, ids[right])
    }
    return order
  }

  private func isSame(_ markers: [MapMarker]) -> Bool {
    for index in markers.indices
    where markers[index].rank != ranks[index] || markers[index].id != ids[index] {
      return false
    }
    return true
  }
}
