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
