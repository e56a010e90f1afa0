/// The thermal pressure, in the four levels of `ProcessInfo.ThermalState` on Apple platforms.
public enum ThermalState: Int, Sendable, Comparable, CaseIterable, Codable {
  case nominal, fair, serious, critical

  public static func < (a: ThermalState, b: ThermalState) -> Bool { a.rawValue < b.rawValue }

  /// The name in commands and in the interface.
  public var name: String {
    switch self {
    case .nominal: "nominal"
    case .fair: "fair"
    case .serious: "serious"
    case .critical: "critical"
    }
  }

  public init?(name: String) {
    guard let state = ThermalState.allCases.first(where: { $0.name == name }) else { return nil }
    self = state
  }
}
