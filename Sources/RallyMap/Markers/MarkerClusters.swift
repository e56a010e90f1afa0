/// Groups visible markers that are close to each other.
///
/// In marker order, a marker joins the earliest anchor less than 4 columns and 2 rows away, or else
/// becomes an anchor. A bucket grid of 4 × 2 cells holds at most one anchor per bucket, so each
/// marker checks nine buckets however many there are. Cells lie on a lattice fixed to the world:
/// zooming splits clusters, panning does not.
struct MarkerClusters {
  struct Cluster {
    /// Indices of the markers, in order; the first is the anchor.
    var members: [Int]
    var column: Int
    var row: Int
  }

  static let columns = 4
  static let rows = 2

  private(set) var clusters: [Cluster] = []
  /// Indices of the markers out of view, in order.
  private(set) var outside: [Int] = []

  init(_ markers: [MapMarker], order: [Int], projection: CellProjection, isClustering: Bool) {
    let width = projection.columns / Self.columns + 3
    let height = projection.rows / Self.rows + 3
    var anchors = ContiguousArray<Int32>(repeating: -1, count: width * height)
    for index in order {
      guard let cell = projection.cell(of: WorldPoint(markers[index].point)) else {
        outside.append(index)
        continue
      }
      let square =
        (cell.row / Self.rows + 1) * width + cell.column / Self.columns + 1
      if isClustering, markers[index].isClusterable {
        if let found = near(cell, square: square, width: width, anchors) {
          clusters[found].members.append(index)
          continue
        }
        anchors[square] = Int32(clusters.count)
      }
      clusters.append(Cluster(members: [index], column: cell.column, row: cell.row))
    }
  }

  /// The earliest cluster whose anchor is near enough.
  private func near(
    _ cell: (column: Int, row: Int), square: Int, width: Int, _ anchors: ContiguousArray<Int32>
  ) -> Int? {
    var best = Int32.max
    for line in [square - width, square, square + width] {
      for candidate in anchors[line - 1...line + 1] where candidate >= 0 && candidate < best {
        let cluster = clusters[Int(candidate)]
        if abs(cluster.column - cell.column) < Self.columns, abs(cluster.row - cell.row) < Self.rows
        {
          best = candidate
        }
      }
    }
    return best == .max ? nil : Int(best)
  }
}

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
