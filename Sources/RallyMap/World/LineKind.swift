/// The kind of a map line.
public enum LineKind: UInt8, CaseIterable, Hashable, Sendable {
  /// Between land and sea.
  case coast = 0
  /// Between two countries.
  case border = 1
  /// A disputed border; drawn differently from others and never attributed to an owner.
  case disputed = 2
  /// Between two states, provinces or territories of one country.
  case state = 3
  /// A lake's shore, and the shore of an island in a lake.
  case lake = 4
  /// An artificial edge at 180° or along the square's south edge. Closes areas; never drawn.
  case seam = 5

  /// Whether the line separates land from water: the edges of an even-odd fill.
  public var bounds: Bool {
    switch self {
    case .coast, .lake, .seam: true
    case .border, .disputed, .state: false
    }
  }

  /// Whether the line is drawn.
  public var isVisible: Bool { self != .seam }
}
