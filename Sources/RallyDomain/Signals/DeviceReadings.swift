import RallyWire

/// What the device says about itself; nil where it has no source for a signal.
public struct DeviceReadings: Sendable, Equatable {
  public var lowPower: SignalReading<Bool>?
  public var thermal: SignalReading<ThermalState>?
  public var lowData: SignalReading<Bool>?
  public var expensive: SignalReading<Bool>?
  public var network: SignalReading<Bool>?

  public init() {}

  /// Whether somebody who saw `other` would learn something new: ages and details are no news.
  func isSameNews(as other: DeviceReadings) -> Bool {
    func same<Value>(_ a: SignalReading<Value>?, _ b: SignalReading<Value>?) -> Bool {
      a?.value == b?.value && a?.source == b?.source && a?.cause == b?.cause
    }
    return same(lowPower, other.lowPower) && same(thermal, other.thermal)
      && same(lowData, other.lowData) && same(expensive, other.expensive)
      && same(network, other.network)
  }
}

extension DeviceReadings: CustomStringConvertible {
  /// For the log: values and causes, `-` without a source.
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

/// One signal as a source gave it.
public struct SignalReading<Value: Sendable & Equatable>: Sendable, Equatable {
  public var value: Value
  /// Where it was read, such as `power_supply BAT0`.
  public var source: String
  /// Why it constrains, in the few words that the status bar has room for: `battery 12%`.
  public var cause: String?
  /// What was measured, for a person who asks: `cpu-thermal 91 °C`.
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
