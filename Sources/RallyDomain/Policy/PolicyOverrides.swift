import RallySystem
import RallyText
import RallyWire

/// The user's overrides of device signals; nil follows the device.
///
/// Over SSH the signals are those of the remote host, so only the user knows those of their own
/// device.
public struct PolicyOverrides: Sendable, Hashable {
  public var lowPower: Bool?
  public var thermal: ThermalState?
  public var lowData: Bool?
  public var expensive: Bool?
  public var network: Bool?

  public init(
    lowPower: Bool? = nil, thermal: ThermalState? = nil, lowData: Bool? = nil,
    expensive: Bool? = nil, network: Bool? = nil
  ) {
    self.lowPower = lowPower
    self.thermal = thermal
    self.lowData = lowData
    self.expensive = expensive
    self.network = network
  }

  /// Sets one signal from a word of the command line or the configuration.
  ///
  /// - Parameter setting: `auto`, `on` or `off`; for `thermal`, `auto` or a name of `ThermalState`.
  /// - Throws: `PolicyOverrideProblem` for any other word.
  public mutating func set(
    _ signal: PolicySignal, to setting: String
  ) throws(PolicyOverrideProblem) {
    switch signal {
    case .thermal:
      let state = ThermalState(name: setting)
      guard state != nil || setting == "auto" else { throw .init(signal, setting) }
      thermal = state
    case .lowPower: lowPower = try Self.flag(signal, setting)
    case .lowData: lowData = try Self.flag(signal, setting)
    case .expensive: expensive = try Self.flag(signal, setting)
    case .network: network = try Self.flag(signal, setting)
    }
  }

  /// The word that a signal is set to; nil if it follows the device.
  public func setting(of signal: PolicySignal) -> String? {
    func word(_ flag: Bool?) -> String? { flag.map { $0 ? "on" : "off" } }
    return switch signal {
    case .lowPower: word(lowPower)
    case .thermal: thermal?.name
    case .lowData: word(lowData)
    case .expensive: word(expensive)
    case .network: word(network)
    }
  }

  private static func flag(
    _ signal: PolicySignal, _ setting: String
  ) throws(PolicyOverrideProblem) -> Bool? {
    switch setting {
    case "on": true
    case "off": false
    case "auto": nil
    default: throw .init(signal, setting)
    }
  }
}

/// An invalid override: one sentence that says what to type instead.
public struct PolicyOverrideProblem: ReportableError, Hashable, Sendable, CustomStringConvertible {
  public let advice: String

  public init(advice: String) { self.advice = advice }

  init(_ signal: PolicySignal, _ setting: String) {
    let words = signal.settings
    advice =
      "Set \(signal.name) to \(words.dropLast().joined(separator: ", ")) or \(words.last ?? "auto")"
      + (setting.isEmpty ? "." : " instead of “\(setting.cleanedForDisplay)”.")
  }

  public var description: String { advice }
  public var sentence: String { advice }
}
