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

/// One cell of a frame.
public struct MapCell: Hashable, Sendable {
  /// The scalar to draw, or a space. For text of several scalars this is the first;
  /// `MapFrame.character(atColumn:row:)` returns all of them.
  public var scalar: Unicode.Scalar
  /// 1-based index into `MapFrame.clusters`; 0 when `scalar` is the whole text.
  var cluster: UInt16 = 0
  public var ink: MapInk
  /// The `MapMarker.tag` of the marker whose glyph, label, trail, area or arrow this is; 0 for the
  /// map.
  public var tag: UInt8 = 0
  var traits: Traits = []
  /// What lies under the cell; of two halves the lower one.
  public var fill: MapFill = .none
  /// What lies under the cell's upper half. Differs from `fill` only where nothing is drawn over
  /// it: the cell is then an upper half block.
  public var upperFill: MapFill = .none

  /// How far night has fallen over the cell's centre: 0 by day, `deepestNight` once astronomical
  /// twilight has ended; always 0 when `MapOptions.night` is nil.
  public internal(set) var night: UInt8 = 0
  /// The `MapMarker.tag` of the marker whose accuracy radius covers the cell's centre; 0 for none.
  public internal(set) var disc: UInt8 = 0

  public static let deepestNight: UInt8 = 7

  struct Traits: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    static let continuation = Traits(rawValue: 4)
    static let capital = Traits(rawValue: 8)
  }

  /// Whether the cell is on land; set under labels and markers too.
  public var isLand: Bool { fill != .none && fill != .sea && fill != .water }
  /// Whether the sun has set at the cell's centre.
  public var isNight: Bool { night > 0 }
  /// Whether this is the right half of a wide character; draw nothing here.
  public var isContinuation: Bool { traits.contains(.continuation) }
  /// Whether the cell is part of a capital's label.
  public var isCapital: Bool { traits.contains(.capital) }
  /// Whether `scalar` is the whole text, so `MapFrame.character(atColumn:row:)` is not needed.
  public var isSingleScalar: Bool { cluster == 0 }
  /// Whether only a background is to be drawn.
  public var isBlank: Bool { scalar == " " || isContinuation }
}

/// A horizontal run of cells in one row.
public struct CellSpan: Hashable, Sendable {
  public var column: Int
  public var row: Int
  public var width: Int

  public init(column: Int, row: Int, width: Int) {
    self.column = column
    self.row = row
    self.width = width
  }

  public func contains(column: Int, row: Int) -> Bool {
    row == self.row && (self.column..<(self.column + width)).contains(column)
  }

  /// The span extended by one cell on both sides.
  var widened: CellSpan { CellSpan(column: column - 1, row: row, width: width + 2) }
}
