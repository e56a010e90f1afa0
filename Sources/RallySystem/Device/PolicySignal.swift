/// The five signals that the runtime policy follows.
public enum PolicySignal: String, Sendable, CaseIterable, Codable {
  case lowPower = "low-power"
  case thermal
  case lowData = "low-data"
  case expensive
  case network

  /// The name in commands and in the interface.
  public var name: String { rawValue }

  /// The allowed settings, also for shell completion.
  public var settings: [String] {
    switch self {
    case .thermal: ["auto"] + ThermalState.allCases.map(\.name)
    case .lowPower, .lowData, .expensive, .network: ["auto", "on", "off"]
    }
  }
}
