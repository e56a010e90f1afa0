import CNetlink
import FoundationEssentials
import Glibc
import RallyText
import RallyWire

/// The providers of one signal, the preferred first.
struct SignalChain<Value: Sendable & Equatable> {
  var offers: [SignalOffer<Value>]

  var first: SignalReading<Value>? { offers.lazy.compactMap { $0.reading }.first }

  /// - Parameter taken: The reading that the policy uses.
  func reports(
    taken: SignalReading<Value>?, _ word: (Value) -> String
  ) -> [ProviderReport] {
    offers.map { offer in
      ProviderReport(
        provider: offer.provider,
        says: offer.reading.map { word($0.value) } ?? offer.note ?? ProviderReport.absence,
        detail: offer.reading?.detail,
        isTaken: taken != nil && offer.reading == taken)
    }
  }
}

/// What one provider says of a signal.
struct SignalOffer<Value: Sendable & Equatable> {
  var provider: String
  /// Nil if the provider is not there, or not to be believed.
  var reading: SignalReading<Value>?
  /// Why there is no value; nil if the provider is not there.
  var note: String?

  init(_ provider: String, _ reading: SignalReading<Value>?, note: String? = nil) {
    self.provider = reading?.source ?? provider
    self.reading = reading
    self.note = note
  }

  /// Reads the values of a service; it can say why they are no use.
  init(
    _ provider: String, _ answer: BusAnswer?,
    _ read: (ServiceValues) throws(UnusableAnswer) -> SignalReading<Value>
  ) {
    switch answer {
    case nil, .absent: self.init(provider, nil)
    case .waiting: self.init(provider, nil, note: "no answer yet")
    case .problem(let problem): self.init(provider, nil, note: problem)
    case .values(let values, let time):
      do throws(UnusableAnswer) {
        self.init(provider, try read(ServiceValues(values: values, readAt: time)))
      } catch {
        self.init(provider, nil, note: error.reason)
      }
    }
  }
}

/// Why a provider that is there has no value.
struct UnusableAnswer: ReportableError {
  var reason: String
  var sentence: String { "\(reason)." }

  static func wrongType(_ name: String) -> UnusableAnswer {
    UnusableAnswer(reason: "\(name) is missing or of a wrong type")
  }
}

/// The values that a service sent.
struct ServiceValues {
  let values: [String: BusValue]
  let readAt: WireTime

  func flag(_ name: String) throws(UnusableAnswer) -> Bool {
    guard case .flag(let flag) = values[name] else { throw .wrongType(name) }
    return flag
  }

  func text(_ name: String) throws(UnusableAnswer) -> String {
    guard case .text(let text) = values[name] else { throw .wrongType(name) }
    return text.cleanedForDisplay
  }

  /// - Parameter range: The values that the service's interface defines.
  func number(_ name: String, in range: ClosedRange<Int64>) throws(UnusableAnswer) -> Int64 {
    guard case .integer(let number) = values[name] else { throw .wrongType(name) }
    guard range.contains(number) else {
      throw UnusableAnswer(reason: "\(name) is \(number), which means nothing")
    }
    return number
  }
}

/// What one provider says, as `:policy` and `rally doctor` list it.
public struct ProviderReport: Hashable, Sendable, Encodable {
  public let provider: String
  /// The value, or why there is none.
  public let says: String
  /// The measurement.
  public let detail: String?
  /// Whether the policy uses this value.
  public let isTaken: Bool

  enum CodingKeys: String, CodingKey {
    case provider, says, detail
    case isTaken = "taken"
  }

  fileprivate static let absence = "not there"

  /// Whether the machine has the provider.
  public var isThere: Bool { says != Self.absence }

  public var sentence: String {
    [says, detail, isTaken ? "taken" : nil].compactMap(\.self).joined(separator: " · ")
  }
}

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

/// Which signal sources this machine has, for a report.
public struct SignalSources: Hashable, Sendable, Encodable {
  /// Power supplies that sysfs lists.
  public var powerSupplies: Int
  /// Thermal zones that sysfs lists.
  public var thermalZones: Int
  /// Whether route changes can be observed over netlink.
  public var netlink: Bool
  /// Why there is no system bus; nil if there is one.
  public var systemBusProblem: String?
  /// Whether gpsd's socket exists.
  public var gpsd: Bool

  enum CodingKeys: String, CodingKey {
    case netlink, gpsd
    case powerSupplies = "power_supplies"
    case thermalZones = "thermal_zones"
    case systemBusProblem = "system_bus_problem"
  }

  /// - Parameter busProblem: Why there is no system bus.
  public init(roots: DeviceRoots, environment: [String: String], busProblem: String?) {
    systemBusProblem = busProblem
    func entries(_ folder: String, _ prefix: String = "") -> Int {
      let names = try? FileManager.default.contentsOfDirectory(atPath: "\(roots.system)/\(folder)")
      return (names ?? []).count { $0.hasPrefix(prefix) }
    }
    powerSupplies = entries("class/power_supply")
    thermalZones = entries("class/thermal", "thermal_zone")
    let socket = rally_netlink_listen()
    netlink = socket >= 0
    if socket >= 0 { close(socket) }
    gpsd = ["/run/gpsd.sock", "/var/run/gpsd.sock"].contains {
      FileManager.default.fileExists(atPath: $0)
    }
  }

  public var sentence: String {
    [
      powerSupplies == 0 ? "no battery in sysfs" : "\(powerSupplies) power supplies in sysfs",
      thermalZones == 0 ? "no heat in sysfs" : "\(thermalZones) thermal zones in sysfs",
      netlink ? "netlink" : "no netlink",
      systemBusProblem.map { "no services of the system bus (\($0))" } ?? "system bus",
      gpsd ? "gpsd" : "no gpsd",
    ].joined(separator: ", ")
  }
}
