import CNetlink
import FoundationEssentials
import Glibc

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
