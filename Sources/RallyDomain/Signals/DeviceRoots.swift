/// Where the device's signals are read.
public struct DeviceRoots: Sendable, Hashable {
  /// The root of sysfs.
  public var system: String
  /// The root of procfs.
  public var process: String

  public init(system: String = "/sys", process: String = "/proc") {
    self.system = system
    self.process = process
  }

  /// The real roots, or the one for sysfs that `RALLY_SYSFS` names.
  public init(environment: [String: String]) {
    let system = environment["RALLY_SYSFS"] ?? ""
    self.init(system: system.isEmpty ? "/sys" : system)
  }
}
