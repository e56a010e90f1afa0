/// Finds room for labels, one after the other, and remembers for the next frame where they stood.
///
/// A label that stood on one side of its anchor in the last frame stands there again if there is still
/// room, even where a side that is tried earlier has become free: labels do not jump while one pans.
struct LabelPlacer {
  var occupancy: Occupancy
  private let last: [LabelKey: LabelSide]
  private(set) var placed: [LabelKey: LabelSide] = [:]
  private var owners: Int32 = 0

  init(columns: Int, rows: Int, last: [LabelKey: LabelSide]) {
    occupancy = Occupancy(columns: columns, rows: rows)
    self.last = last
  }

  /// A number for somebody who takes cells.
  mutating func newOwner() -> Int32 {
    owners += 1
    return owners
  }

  func stood(_ key: LabelKey) -> Bool { last[key] != nil }

  /// Takes cells for a label; nil when there is no room on any side.
  ///
  /// - Parameters:
  ///   - anchor: What the label belongs to.
  ///   - owner: Who has taken the anchor's cells, which the label may touch.
  mutating func place(
    _ key: LabelKey, width: Int, around anchor: CellSpan, owner: Int32, sides: [LabelSide]
  ) -> (span: CellSpan, side: LabelSide)? {
    guard width > 0 else { return nil }
    func room(_ side: LabelSide) -> CellSpan? {
      let span = side.span(around: anchor, width: width)
      return occupancy.isFree(span, margin: 1, owner: owner) ? span : nil
    }
    var found: (CellSpan, LabelSide)?
    if let side = last[key], let span = room(side) { found = (span, side) }
    if found == nil {
      for side in sides {
        guard let span = room(side) else { continue }
        found = (span, side)
        break
      }
    }
    guard let (span, side) = found else { return nil }
    occupancy.take(span, owner: owner)
    placed[key] = side
    return (span, side)
  }
}
