/// How somebody gets about, with the speeds that go with it.
public enum Travel: String, Hashable, Sendable, CaseIterable {
  case walking, cycling, sailing, ferry, train, flying

  /// Metres a second at which this looks true.
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

  /// What is under them, apart from the ends of the way.
  public enum Ground: Hashable, Sendable { case land, sea, any }

  public var ground: Ground {
    switch self {
    case .walking, .cycling, .train: .land
    case .sailing, .ferry: .sea
    case .flying: .any
    }
  }

  /// Metres; what a telephone measures where somebody moves like this.
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
