import RallyWire

/// The current device signals; nil if the device has no source for one.
public struct DeviceReadings: Sendable, Equatable {
  public var lowPower: SignalReading<Bool>?
  public var thermal: SignalReading<ThermalState>?
  public var lowData: SignalReading<Bool>?
  public var expensive: SignalReading<Bool>?
  public var network: SignalReading<Bool>?
  /// What each provider of a signal says, in the order of preference.
  public var providers: [PolicySignal: [ProviderReport]] = [:]
  /// Why no service is asked, for the end of a sentence; nil if the system bus is there, or not
  /// looked for.
  public var busProblem: String?

  public init() {}

  /// Whether the readings are the same for an observer: times and details are not compared.
  func hasSameValues(as other: DeviceReadings) -> Bool {
    func same<Value>(_ a: SignalReading<Value>?, _ b: SignalReading<Value>?) -> Bool {
      a?.value == b?.value && a?.source == b?.source && a?.cause == b?.cause
    }
    return same(lowPower, other.lowPower) && same(thermal, other.thermal)
      && same(lowData, other.lowData) && same(expensive, other.expensive)
      && same(network, other.network)
  }
}

extension DeviceReadings: CustomStringConvertible {
  /// For the log: values and causes, `-` for a signal without a source.
  public var description: String {
    func word<Value>(_ name: String, _ reading: SignalReading<Value>?) -> String {
      guard let reading else { return "\(name): -" }
      return "\(name): \(reading.value)" + (reading.cause.map { " (\($0))" } ?? "")
    }
    return [
      word("low power", lowPower), word("thermal", thermal), word("low data", lowData),
      word("expensive", expensive), word("network", network),
    ].joined(separator: ", ")
  }
}

/// The value of one signal, as read from a source.
public struct SignalReading<Value: Sendable & Equatable>: Sendable, Equatable {
  public var value: Value
  /// Where it was read, such as `battery BAT0`.
  public var source: String
  /// Why it limits the app, short enough for the status bar: `battery 12%`.
  public var cause: String?
  /// The measurement, for reports: `cpu-thermal 91 °C`.
  public var detail: String?
  public var readAt: WireTime

  public init(
    _ value: Value, source: String, cause: String? = nil, detail: String? = nil,
    readAt: WireTime = .now
  ) {
    self.value = value
    self.source = source
    self.cause = cause
    self.detail = detail
    self.readAt = readAt
  }
}

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
