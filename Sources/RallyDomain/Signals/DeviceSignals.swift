import Foundation

/// Where the device's signals are read.
public struct DeviceRoots: Sendable, Hashable {
  /// The root of sysfs, `/sys` unless `RALLY_SYSFS` says otherwise.
  public var system: String
  /// The root of procfs.
  public var process: String

  public init(system: String = "/sys", process: String = "/proc") {
    self.system = system
    self.process = process
  }

  public init(environment: [String: String]) {
    self.init(system: environment["RALLY_SYSFS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/sys")
  }
}

/// What stands between this program and its server.
public enum ServerReach: Sendable, Hashable {
  /// The server is on this machine: it is reached whatever the network does.
  case thisMachine
  /// The server is elsewhere: a default route whose link carries is needed.
  case network
}

/// The device's signals.
public final class DeviceSignals: Sendable {
  public init(roots: DeviceRoots, serverReach: ServerReach) {}

  public var latest: DeviceReadings { DeviceReadings() }

  public func start() -> AsyncStream<DeviceReadings> { AsyncStream { _ in } }

  public func stop() {}
}
