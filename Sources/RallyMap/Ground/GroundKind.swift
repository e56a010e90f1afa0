/// The classes of areas and lines near by, in drawing order.
public enum GroundKind: UInt8, Comparable, Hashable, Sendable, CaseIterable {
  // Areas.
  /// Parks, woods, grass, cemeteries, sports grounds.
  case green
  /// Sea, lakes, and rivers that are wide enough to be areas.
  case water
  case building
  // Lines.
  /// Rivers, canals and streams.
  case waterway
  case rail
  /// Footways, steps, cycleways, tracks.
  case path
  /// Driveways, alleys, car parks' lanes.
  case service
  /// Residential and unclassified streets, pedestrian streets.
  case street
  /// Tertiary and secondary roads.
  case secondary
  /// Primary and trunk roads.
  case primary
  case motorway
  /// Borders of regions within a country.
  case regionBoundary
  /// Borders of countries.
  case countryBoundary

  public var isArea: Bool { self <= .building }

  public static func < (left: GroundKind, right: GroundKind) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// What a name of the ground belongs to, the most important first.
public enum GroundLabelKind: UInt8, Comparable, Hashable, Sendable, CaseIterable {
  // Points.
  case city
  case town
  case village
  /// Suburbs, quarters and neighbourhoods.
  case quarter
  /// Lakes, bays, seas; a river's name is a `waterway`.
  case water
  /// Squares and parks.
  case square
  // Lines.
  case waterway
  case motorway
  case primary
  case secondary
  case street
  case path

  public var isPoint: Bool { self <= .square }
  public var isStreet: Bool { self >= .motorway }

  public static func < (left: GroundLabelKind, right: GroundLabelKind) -> Bool {
    left.rawValue < right.rawValue
  }
}
