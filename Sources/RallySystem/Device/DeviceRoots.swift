import FoundationEssentials

/// Where device signals are read from.
public struct DeviceRoots: Sendable, Hashable {
  /// The root of sysfs.
  public var system: String
  /// The root of procfs.
  public var process: String
  /// The address of the system bus; nil to ask no service.
  public var systemBus: String?
  /// The address of the bus with the desktop portal; nil outside of a sandbox.
  public var portalBus: String?

  public init(
    system: String = "/sys", process: String = "/proc", systemBus: String? = nil,
    portalBus: String? = nil
  ) {
    self.system = system
    self.process = process
    self.systemBus = systemBus
    self.portalBus = portalBus
  }

  /// The default roots; `RALLY_SYSFS` overrides that of sysfs.
  public init(environment: [String: String]) {
    let system = environment["RALLY_SYSFS"] ?? ""
    let isSandboxed =
      !environment["SNAP", default: ""].isEmpty
      || FileManager.default.fileExists(atPath: "/.flatpak-info")
    self.init(
      system: system.isEmpty ? "/sys" : system, systemBus: BusAddress.system(in: environment),
      portalBus: isSandboxed ? BusAddress.session(in: environment) : nil)
  }
}
