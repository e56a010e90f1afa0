import RallyEnvironment

/// What the person of this program may have done on the host that it runs on.
///
/// The owner of the host's account may do all of it. A guest, whom `sshd` let in for their Rally
/// account alone, has no other business on the host. The verb that was started decides: only the
/// forced command of `sshd` makes a guest, and nothing that a guest can set unmakes one. Each is
/// asked where it acts.
public struct Capabilities: OptionSet, Hashable, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Starting the editor of the host.
  public static let editor = Capabilities(rawValue: 1 << 0)
  /// Reading and writing files that the person names: import, export, archives of streets.
  public static let hostFiles = Capabilities(rawValue: 1 << 1)
  /// Starting programs for events.
  public static let hooks = Capabilities(rawValue: 1 << 2)
  /// Reading and writing the host's configuration.
  public static let configuration = Capabilities(rawValue: 1 << 3)
  /// Asking the host for battery, heat, network, sleep and position, and notifying its desktop.
  public static let deviceSignals = Capabilities(rawValue: 1 << 4)
  /// Starting other processes of Rally: the embedded server, the demo.
  public static let processes = Capabilities(rawValue: 1 << 5)
  /// Talking to another server than the one that the program was started for.
  public static let otherServers = Capabilities(rawValue: 1 << 6)
  /// Stopping the process, as ^Z does: a guest has no shell that continues it.
  public static let suspension = Capabilities(rawValue: 1 << 7)

  public static let owner: Capabilities = [
    .editor, .hostFiles, .hooks, .configuration, .deviceSignals, .processes, .otherServers,
    .suspension,
  ]
  public static let guest: Capabilities = []
}

private struct CapabilitiesKey: EnvironmentKey {
  static var defaultValue: Capabilities { .owner }
}

extension EnvironmentValues {
  /// What the person may have done on this host.
  public var capabilities: Capabilities {
    get { self[CapabilitiesKey.self] }
    set { self[CapabilitiesKey.self] = newValue }
  }
}
