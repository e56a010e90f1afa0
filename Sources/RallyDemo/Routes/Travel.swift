/// A means of travel with its plausible speeds, terrain and location accuracy.
public enum Travel: String, Hashable, Sendable, CaseIterable {
  case walking, cycling, sailing, ferry, train, flying

  /// Plausible speeds in metres per second.
  public var speeds: ClosedRange<Double> {
    switch self {
    case .walking: 0.8...1.9
    case .cycling: 3...9
    case .sailing: 2...6
    case .ferry: 6...12
    case .train: 15...70
    case .flying: 180...270
    }
  }

  /// The terrain of the route, apart from its ends.
  public enum Ground: Hashable, Sendable { case land, sea, any }

  public var ground: Ground {
    switch self {
    case .walking, .cycling, .train: .land
    case .sailing, .ferry: .sea
    case .flying: .any
    }
  }

  /// Typical GPS accuracy of a phone, in metres.
  var accuracyMetres: Double {
    switch self {
    case .walking: 8
    case .cycling: 6
    case .sailing, .ferry: 10
    case .train: 25
    case .flying: 60
    }
  }
}
