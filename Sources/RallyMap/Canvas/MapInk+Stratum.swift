extension MapInk {
  /// Who may share a cell: inks whose classes differ by more than one do not, the lower one's dots go.
  /// So a fill never blurs a line, and a coast runs on beneath the border that meets it.
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
