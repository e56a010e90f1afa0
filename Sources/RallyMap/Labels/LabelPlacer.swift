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

/// Identifies the owner of a label.
enum LabelKey: Hashable {
  case marker(String)
  case city(Int)
  case country(Int)
}

extension LabelKey: Comparable {
  /// An arbitrary but stable order.
  static func < (left: LabelKey, right: LabelKey) -> Bool {
    switch (left, right) {
    case (.marker(let left), .marker(let right)): left < right
    case (.city(let left), .city(let right)): left < right
    case (.country(let left), .country(let right)): left < right
    default: left.kind < right.kind
    }
  }

  private var kind: Int {
    switch self {
    case .marker: 0
    case .country: 1
    case .city: 2
    }
  }
}

/// Which cells are occupied by text or markers, and by which owner.
struct Occupancy {
  let columns: Int
  let rows: Int
  /// Owner id per cell; 0 is free.
  private var owners: ContiguousArray<Int32>

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    owners = ContiguousArray(repeating: 0, count: columns * rows)
  }

  /// Whether the span lies on the grid and all its cells, plus `margin` cells on both sides, are
  /// free or belong to `owner`.
  func isFree(_ span: CellSpan, margin: Int = 0, owner: Int32 = 0) -> Bool {
    guard span.row >= 0, span.row < rows, span.column >= 0, span.column + span.width <= columns
    else { return false }
    let first = max(span.column - margin, 0)
    let last = min(span.column + span.width + margin, columns) - 1
    guard first <= last else { return true }
    for index in span.row * columns + first...span.row * columns + last
    where owners[index] != 0 && owners[index] != owner {
      return false
    }
    return true
  }

  /// - Precondition: The span lies on the grid.
  mutating func take(_ span: CellSpan, owner: Int32) {
    for index in span.row * columns + span.column..<span.row * columns + span.column + span.width {
      owners[index] = owner
    }
  }
}

/// Text split into characters with their widths in cells.
struct CellText {
  struct Piece {
    let character: Character
    let width: Int
  }

  private(set) var pieces: [Piece] = []
  /// In cells.
  private(set) var width = 0

  init() {}

  /// Zero-width characters (controls, lone combining marks) are dropped.
  init(_ text: String, width measure: (Character) -> Int) {
    pieces.reserveCapacity(text.utf8.count + 1)
    for character in text { append(character, measure(character)) }
  }

  mutating func append(_ character: Character, _ cells: Int) {
    guard cells > 0 else { return }
    pieces.append(Piece(character: character, width: cells))
    width += cells
  }

  mutating func append(_ text: CellText) {
    pieces += text.pieces
    width += text.width
  }

  /// The text, cut to `maximum` cells including the ellipsis if it is longer.
  func truncated(to maximum: Int, ellipsis: Character) -> CellText {
    guard width > maximum else { return self }
    var cut = CellText()
    for piece in pieces {
      guard cut.width + piece.width < maximum else { break }
      cut.append(piece.character, piece.width)
    }
    cut.append(ellipsis, 1)
    return cut
  }
}
