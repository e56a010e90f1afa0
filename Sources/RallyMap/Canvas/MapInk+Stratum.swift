extension MapInk {
  /// Decides which inks may share a cell: when two strata differ by more than one, the dots of the
  /// lower one are dropped. So a fill never blurs a line, but a coast stays visible under a border
  /// that meets it.
  @inline(__always)
  var stratum: UInt8 {
    switch self {
    case .outside, .sea: 0
    case .land: 0
    case .lake, .coast: 2
    case .state, .disputed, .border: 3
    case .area, .trail: 4
    case .countryLabel, .cityLabel, .arrow, .markerLabel, .marker: 6
    }
  }
}
