import RallyMap

/// What several schemas have in common, since all take their values from OpenStreetMap.
extension GroundClass {
  /// The rank of labels that have none.
  static let noRank = 99

  /// A boundary by OpenStreetMap's `admin_level`; nil for lower levels than regions, and at sea.
  init?(boundaryLevel level: Int?, isMaritime: Bool) {
    guard !isMaritime else { return nil }
    switch level {
    case 2: shape = .countryBoundary
    case 3, 4: shape = .regionBoundary
    default: return nil
    }
  }

  /// A place by OpenStreetMap's `place`; nil for countries, islands and lonely houses.
  init?(place: String?, rank: Int) {
    self.rank = min(max(rank, 0), Self.noRank)
    switch place {
    case "capital", "state_capital", "city": label = .city
    case "town": label = .town
    case "village": label = .village
    case "hamlet":
      label = .village
      self.rank += 100
    case "borough", "suburb": label = .quarter
    case "quarter":
      label = .quarter
      self.rank += 50
    case "neighbourhood":
      label = .quarter
      self.rank += 100
    default: return nil
    }
  }

  /// The rank for a population or an area, the larger the earlier: one step for each doubling.
  static func rank(ofSize size: Int?) -> Int {
    guard let size, size > 0 else { return noRank }
    return 64 - (Int.bitWidth - size.leadingZeroBitCount)
  }
}
