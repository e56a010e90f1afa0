extension MapInk {
  /// Decides which inks may share a cell: when two strata differ by more than one, the dots of the
  /// lower one are dropped. So a fill never blurs a line, but a coast stays visible under a border
  /// that meets it.
  @inline(__always)
  var stratum: UInt8 {
    switch self {
    case .outside, .sea: 0
    case .land, .green, .water, .building, .unreadable: 0
    case .grid, .ring, .waterway, .path: 1
    case .lake, .coast, .rail, .street, .cityLight: 2
    case .state, .disputed, .border, .secondaryRoad, .primaryRoad, .motorway: 3
    case .area, .oldTrail, .trail: 4
    case .countryLabel, .gridLabel, .waterLabel, .streetLabel, .cityLabel, .arrow, .markerLabel,
      .marker, .initial:
      6
    }
  }
}
