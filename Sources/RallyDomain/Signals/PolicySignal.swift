/// The five signals that the runtime policy follows.
public enum PolicySignal: String, Sendable, CaseIterable, Codable {
  case lowPower = "low-power"
  case thermal
  case lowData = "low-data"
  case expensive
  case network

  /// The word that a person types and reads.
  public var name: String { rawValue }

  /// What a person may set the signal to, for the command line's completion.
  public var settings: [String] {
    switch self {
    case .thermal: ["auto"] + ThermalState.allCases.map(\.name)
    case .lowPower, .lowData, .expensive, .network: ["auto", "on", "off"]
    }
  }
}
