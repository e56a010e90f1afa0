/// How precisely a friend may see a position; a later case shows more.
public enum SharingMode: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
  /// Nothing.
  case off
  /// A cell of about 10 km.
  case approximate10km = "approximate_10km"
  /// A cell of about 1 km.
  case approximate1km = "approximate_1km"
  /// The position itself, with speed, course and battery.
  case precise

  /// The size of the cell that the position is cut to; nil for `off` and for `precise`.
  public var gridLevel: GridLevel? {
    switch self {
    case .off, .precise: nil
    case .approximate10km: .tenKilometres
    case .approximate1km: .oneKilometre
    }
  }

  /// The mode in which a position is told as a cell of this size.
  init(_ level: GridLevel) {
    self = level == .tenKilometres ? .approximate10km : .approximate1km
  }

  private var rank: Int {
    switch self {
    case .off: 0
    case .approximate10km: 1
    case .approximate1km: 2
    case .precise: 3
    }
  }

  public static func < (one: SharingMode, other: SharingMode) -> Bool { one.rank < other.rank }
}
