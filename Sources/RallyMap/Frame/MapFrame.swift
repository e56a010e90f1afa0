/// A rendered map.
public struct MapFrame: Hashable, Sendable {
  public let viewport: Viewport
  /// Cells in row-major order, `columns * rows` of them.
  public internal(set) var cells: ContiguousArray<MapCell>
  /// Texts of cells with more than one scalar.
  public internal(set) var clusters: [Character]
  /// Pins in drawing order, the last on top. Every visible marker is in exactly one pin.
  public internal(set) var pins: [PlacedPin]
  public internal(set) var arrows: [EdgeArrow]
  /// Labelled cities and countries, in the order in which they were placed.
  public internal(set) var names: [PlacedName]

  /// Who has to be named for the tiles in view; empty for nobody.
  public internal(set) var groundAttribution = ""

  /// Whether the view is too near for the built-in world, and no tiles are there.
  public internal(set) var needsStreets = false
  /// Whether areas are told by `MapCell.fill` instead of patterns of dots.
  public internal(set) var paintsAreas = false

  public var columns: Int { viewport.columns }
  public var rows: Int { viewport.rows }

  /// Data attribution: GeoNames requires it (CC BY), Natural Earth is public domain.
  public static let attribution = "Natural Earth, © GeoNames"

  /// A scale bar of at most a fifth of the frame's width, or of 8 cells if that is more.
  public var scaleBar: ScaleBar? { viewport.scaleBar(maximumCells: max(columns / 5, 8)) }

  /// - Precondition: The cell lies on the grid.
  public subscript(column: Int, row: Int) -> MapCell { cells[row * columns + column] }

  /// The character in a cell; nil for the right half of a wide character.
  public func character(atColumn column: Int, row: Int) -> Character? {
    let cell = self[column, row]
    if cell.isContinuation { return nil }
    return cell.cluster == 0 ? Character(cell.scalar) : clusters[Int(cell.cluster) - 1]
  }

  /// A row as text, without its trailing spaces.
  public func line(_ row: Int) -> String {
    var line = String()
    line.reserveCapacity(columns * 3)
    for column in 0..<columns {
      if let character = character(atColumn: column, row: row) { line.append(character) }
    }
    while line.last == " " { line.removeLast() }
    return line
  }

  /// All rows, separated by line feeds.
  public var text: String { (0..<rows).map(line).joined(separator: "\n") }

  /// The topmost pin whose glyph occupies this cell, else the one whose label does.
  public func pin(atColumn column: Int, row: Int) -> PlacedPin? {
    pins.last { $0.span.contains(column: column, row: row) }
      ?? pins.last { $0.label?.contains(column: column, row: row) == true }
  }

  /// The arrow whose glyph or text occupies this cell.
  public func arrow(atColumn column: Int, row: Int) -> EdgeArrow? {
    arrows.first { $0.span.contains(column: column, row: row) }
  }

  /// The pin that contains the marker with this id.
  public func pin(of id: String) -> PlacedPin? { pins.first { $0.ids.contains(id) } }
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
