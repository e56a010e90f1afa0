/// One signal as `:policy` and `rally doctor` list it.
public struct SignalReport: Hashable, Sendable, Identifiable, Encodable {
  public let signal: PolicySignal
  /// What the policy goes by: `on`, `off`, or a step of heat.
  public let value: String
  /// Where the value comes from.
  public let source: String
  /// How long ago the device was last looked at; nil without a source.
  public let age: Duration?
  /// What the person set; nil when the device is followed.
  public let override: String?
  /// What the device says, whatever is set; nil without a source.
  public let sensed: String?
  /// What was measured.
  public let detail: String?

  public var id: PolicySignal { signal }

  enum CodingKeys: String, CodingKey {
    case signal, value, source, override, sensed, detail
    case age = "age_seconds"
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(signal, forKey: .signal)
    try container.encode(value, forKey: .value)
    try container.encode(source, forKey: .source)
    try container.encode(age.map(\.components.seconds), forKey: .age)
    try container.encode(override, forKey: .override)
    try container.encode(sensed, forKey: .sensed)
    try container.encode(detail, forKey: .detail)
  }
}
