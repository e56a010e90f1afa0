import CNetlink
import FoundationEssentials
import Glibc

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
