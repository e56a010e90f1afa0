/// Places labels one after the other and remembers their sides for the next frame.
///
/// A label keeps its side of the anchor while there is room, even if a preferred side becomes free,
/// so that labels do not jump when panning.
struct LabelPlacer {
  var occupancy: Occupancy
  private let last: [LabelKey: LabelSide]
  private(set) var placed: [LabelKey: LabelSide] = [:]
  private var owners: Int32 = 0

  init(columns: Int, rows: Int, last: [LabelKey: LabelSide]) {
    occupancy = Occupancy(columns: columns, rows: rows)
    self.last = last
  }

  /// A new owner id for `Occupancy.take`.
  mutating func newOwner() -> Int32 {
    owners += 1
    return owners
  }

  /// Whether the label was placed in the last frame.
  func stood(_ key: LabelKey) -> Bool { last[key] != nil }

  /// Reserves cells for a label; nil when no side has room.
  ///
  /// - Parameters:
  ///   - anchor: The cells that the label belongs to.
  ///   - owner: Owner of the anchor's cells, which the label may touch.
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
