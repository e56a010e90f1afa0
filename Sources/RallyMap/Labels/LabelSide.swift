/// The position of a label relative to its anchor, in order of preference.
enum LabelSide: UInt8, CaseIterable {
  case east
  case west
  case northEast
  case southEast
  case northWest
  case southWest
  case north
  case south
  /// On the anchor itself, for area names.
  case middle
  case middleAbove
  case middleBelow

  static let aroundPoint: [LabelSide] = [
    .east, .west, .northEast, .southEast, .northWest, .southWest, .north, .south,
  ]
  static let overArea: [LabelSide] = [.middle, .middleBelow, .middleAbove]

  /// The cells of a label of `width` cells on this side.
  func span(around anchor: CellSpan, width: Int) -> CellSpan {
    let east = anchor.column + anchor.width
    let west = anchor.column - width
    let centred = anchor.column + (anchor.width - width) / 2
    return switch self {
    case .east: CellSpan(column: east, row: anchor.row, width: width)
    case .west: CellSpan(column: west, row: anchor.row, width: width)
    case .northEast: CellSpan(column: east, row: anchor.row - 1, width: width)
    case .southEast: CellSpan(column: east, row: anchor.row + 1, width: width)
    case .northWest: CellSpan(column: west, row: anchor.row - 1, width: width)
    case .southWest: CellSpan(column: west, row: anchor.row + 1, width: width)
    case .north, .middleAbove: CellSpan(column: centred, row: anchor.row - 1, width: width)
    case .south, .middleBelow: CellSpan(column: centred, row: anchor.row + 1, width: width)
    case .middle: CellSpan(column: centred, row: anchor.row, width: width)
    }
  }
}
