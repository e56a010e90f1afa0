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

/// What a cell shows, in drawing order: a cell takes the colour of its highest ink. Colours are
/// chosen by the caller.
public enum MapInk: UInt8, Comparable, Hashable, Sendable, CaseIterable {
  /// Beyond the world: margins of a view that is wider or higher than the world.
  case outside
  /// Water with nothing drawn: sea or lake.
  case sea
  /// Land: stipple dots, or empty when the fill is left to the background.
  case land
  /// Parks and woods of a street archive.
  case green
  /// Water of a street archive.
  case water
  case building
  /// A tile that could not be read.
  case unreadable
  /// The grid where no tiles are.
  case grid
  /// A ring round the place from which distances count.
  case ring
  /// A river, canal or stream.
  case waterway
  /// A path or a service road.
  case path
  case rail
  case street
  case secondaryRoad
  case primaryRoad
  case motorway
  /// A large city where it is dark.
  case cityLight
  /// A lake's shore.
  case lake
  /// The sea's shore.
  case coast
  /// A border between states or provinces of one country.
  case state
  /// A disputed border.
  case disputed
  /// A border between countries.
  case border
  /// The outline of a marker's accuracy radius.
  case area
  /// A marker's past positions, the oldest third of them.
  case oldTrail
  /// A marker's past positions.
  case trail
  case countryLabel
  /// What a ring stands for.
  case gridLabel
  case waterLabel
  case streetLabel
  /// A city's name and the dot before it.
  case cityLabel
  /// The edge arrow, with its text, for a marker out of view.
  case arrow
  /// The label of a marker, and its course arrow.
  case markerLabel
  /// A marker or a cluster of them.
  case marker
  /// The letter that stands for a marker.
  case initial

  /// Whether the cell shows only what lies under it.
  var isPattern: Bool { self <= .unreadable }

  /// What stands for the pattern of dots of an area in ASCII.
  var asciiPattern: Unicode.Scalar? {
    switch self {
    case .green: ","
    case .water: "~"
    case .building: ":"
    case .unreadable: "?"
    default: nil
    }
  }

  public static func < (left: MapInk, right: MapInk) -> Bool { left.rawValue < right.rawValue }
}

/// What lies under the lines and texts of a cell, in drawing order.
public enum MapFill: UInt8, Hashable, Sendable, CaseIterable {
  /// Beyond the world, or nothing is known.
  case none
  case sea
  case land
  /// Land of a street archive.
  case town
  /// Parks, woods, grass.
  case park
  /// Water of a street archive: sea, lakes, wide rivers.
  case water
  case building
  /// A tile that could not be read.
  case unreadable
}
