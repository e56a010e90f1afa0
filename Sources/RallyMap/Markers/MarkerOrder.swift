/// Sorts markers by rank (highest first), then label, then id, and caches the order, since most
/// frames only move markers. A changed label alone does not update the cached order.
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
