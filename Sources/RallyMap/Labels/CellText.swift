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

extension MapFrame {
  /// Overwrites cells with text; the cells must lie on the grid.
  mutating func write(
    _ text: CellText, column: Int, row: Int, ink: MapInk, tag: UInt8 = 0,
    traits: MapCell.Traits = []
  ) {
    var index = row * columns + column
    for piece in text.pieces {
      let scalars = piece.character.unicodeScalars
      let first = scalars[scalars.startIndex]
      let isSingle = scalars.index(after: scalars.startIndex) == scalars.endIndex
      if !isSingle { clusters.append(piece.character) }
      cells[index].set(first, cluster: isSingle ? 0 : clusters.count, ink, tag, traits)
      for offset in 1..<max(piece.width, 1) {
        cells[index + offset].set(" ", cluster: 0, ink, tag, traits.union(.continuation))
      }
      index += piece.width
    }
    clearFill(column - 1, row)
    clearFill(column + text.width, row)
  }

  /// Clears the pattern beside a text, where it would read as punctuation.
  private mutating func clearFill(_ column: Int, _ row: Int) {
    guard column >= 0, column < columns, cells[row * columns + column].ink.isPattern else { return }
    cells[row * columns + column].scalar = " "
    cells[row * columns + column].upperFill = cells[row * columns + column].fill
  }
}

extension MapCell {
  /// Replaces what is drawn; what lies under it stays.
  fileprivate mutating func set(
    _ scalar: Unicode.Scalar, cluster: Int, _ ink: MapInk, _ tag: UInt8, _ traits: Traits
  ) {
    self.scalar = scalar
    self.cluster = UInt16(truncatingIfNeeded: cluster)
    self.ink = ink
    self.tag = tag
    self.traits = traits
    upperFill = fill
  }
}
