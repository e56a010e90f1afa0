/// One signal as `:policy` and `rally doctor` list it.
public struct SignalReport: Hashable, Sendable, Identifiable, Encodable {
  public let signal: PolicySignal
  /// The value that the policy uses: `on`, `off`, or a name of `ThermalState`.
  public let value: String
  /// Where the value comes from.
  public let source: String
  /// Time since the device was last read; nil without a source.
  public let age: Duration?
  /// The user's override; nil if the signal follows the device.
  public let override: String?
  /// The device's value, whatever the override; nil without a source.
  public let sensed: String?
  /// The measurement.
  public let detail: String?
  /// What each provider of the signal says, the preferred first.
  public let providers: [ProviderReport]

  package init(
    signal: PolicySignal, value: String, source: String, age: Duration?, override: String?,
    sensed: String?, detail: String?, providers: [ProviderReport]
  ) {
    self.signal = signal
    self.value = value
    self.source = source
    self.age = age
    self.override = override
    self.sensed = sensed
    self.detail = detail
    self.providers = providers
  }

  public var id: PolicySignal { signal }

  enum CodingKeys: String, CodingKey {
    case signal, value, source, override, sensed, detail, providers
    case age = "age_seconds"
  }

  /// Encodes missing values as `null`, so that all keys are always present.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(signal, forKey: .signal)
    try container.encode(value, forKey: .value)
    try container.encode(source, forKey: .source)
    try container.encode(age.map(\.components.seconds), forKey: .age)
    try container.encode(override, forKey: .override)
    try container.encode(sensed, forKey: .sensed)
    try container.encode(detail, forKey: .detail)
    try container.encode(providers, forKey: .providers)
  }
}
