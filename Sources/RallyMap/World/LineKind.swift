/// What a line of the world is.
public enum LineKind: UInt8, CaseIterable, Hashable, Sendable {
  /// Between land and sea.
  case coast = 0
  /// Between two countries.
  case border = 1
  /// A border whose course or meaning is disputed; drawn apart from others and never with an owner.
  case disputed = 2
  /// Between two states, provinces or territories of one country.
  case state = 3
  /// A lake's shore, and the shore of an island in a lake.
  case lake = 4
  /// A cut of the data at 180° or along the square's lower edge: closes areas, is never drawn.
  case seam = 5

  /// Whether crossing the line goes from water to land or back: the edges of an even-odd fill.
  public var bounds: Bool {
    switch self {
    case .coast, .lake, .seam: true
    case .border, .disputed, .state: false
    }
  }

  /// Whether the line is something that a person should see.
  public var isVisible: Bool { self != .seam }
}
