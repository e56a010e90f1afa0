/// The file systems that device signals are read from.
public struct DeviceRoots: Sendable, Hashable {
  /// The root of sysfs.
  public var system: String
  /// The root of procfs.
  public var process: String

  public init(system: String = "/sys", process: String = "/proc") {
    self.system = system
    self.process = process
  }

  /// The default roots; `RALLY_SYSFS` overrides that of sysfs.
  public init(environment: [String: String]) {
    let system = environment["RALLY_SYSFS"] ?? ""
    self.init(system: system.isEmpty ? "/sys" : system)
  }
}
