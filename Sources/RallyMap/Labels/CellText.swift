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
