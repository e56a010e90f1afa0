/// How hot the device is, in the four steps that applications are usually told.
public enum ThermalState: Int, Sendable, Comparable, CaseIterable, Codable {
  case nominal, fair, serious, critical

  public static func < (a: ThermalState, b: ThermalState) -> Bool { a.rawValue < b.rawValue }

  /// The word that a person types and reads.
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
