/// A map that was drawn.
public struct MapFrame: Hashable, Sendable {
  public let viewport: Viewport
  /// Row by row, `columns * rows` of them.
  public internal(set) var cells: ContiguousArray<MapCell>
  /// Texts of cells that take more than one scalar.
  public internal(set) var clusters: [Character]
  /// Every marker in view is in exactly one pin: in the order of drawing, the last is on top.
  public internal(set) var pins: [PlacedPin]
  public internal(set) var arrows: [EdgeArrow]
  /// Cities and countries that are named, in the order of their importance.
  public internal(set) var names: [PlacedName]

  public var columns: Int { viewport.columns }
  public var rows: Int { viewport.rows }

  /// Whom the map's data has to name: Natural Earth asks for nothing, GeoNames for its name.
  public static let attribution = "Natural Earth, © GeoNames"

  /// A bar of at most a fifth of the frame's width.
  public var scaleBar: ScaleBar? { viewport.scaleBar(maximumCells: max(columns / 5, 8)) }

  /// - Precondition: The cell lies on the grid.
  public subscript(column: Int, row: Int) -> MapCell { cells[row * columns + column] }

  /// What is drawn in a cell; nil for the right half of a wide character.
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

  /// All rows, parted by line feeds.
  public var text: String { (0..<rows).map(line).joined(separator: "\n") }

  /// The pin whose glyph or words are in this cell, the topmost first.
  public func pin(atColumn column: Int, row: Int) -> PlacedPin? {
    pins.last { $0.span.contains(column: column, row: row) }
      ?? pins.last { $0.label?.contains(column: column, row: row) == true }
  }

  /// The arrow in this cell.
  public func arrow(atColumn column: Int, row: Int) -> EdgeArrow? {
    arrows.first { $0.span.contains(column: column, row: row) }
  }

  /// The pin in which a marker was drawn.
  public func pin(of id: String) -> PlacedPin? { pins.first { $0.ids.contains(id) } }
}
