import Foundation
import RallyTestSupport

/// A machine with nothing but its loopback: a network and mounts of its own, where a name leads to
/// itself and nothing lies under `/srv`.
final class LonelyMachine: Sendable {
  let folder: TemporaryFolder
  private let holder: RunningCommand

  /// What a user without rights says to be root there.
  private static var isRoot: Bool { geteuid() == 0 }

  private static func script(hosts: String) -> String {
    """
    ip link set lo up && mount --bind '\(hosts)' /etc/hosts && mount -t tmpfs tmpfs /srv \
    && echo ready && exec sleep 3600
    """
  }

  /// Whether this system lets us have one.
  static func isAllowed() async -> Bool { (try? await LonelyMachine(named: "localhost")) != nil }

  /// - Parameter name: Leads to this machine alone.
  /// - Throws: `ProcessFailure` where the system does not allow it.
  init(named name: String) async throws {
    folder = try TemporaryFolder()
    let hosts = folder.file("hosts")
    try Data("127.0.0.1 localhost \(name)\n".utf8).write(to: URL(filePath: hosts))
    holder = try RunningCommand(
      "unshare",
      (Self.isRoot ? [] : ["-r"]) + ["-n", "-m", "sh", "-c", Self.script(hosts: hosts)],
      environment: folder.environment)
    guard try await holder.firstLine() == "ready" else {
      throw ProcessFailure("no machine of its own: \(holder.snapshot.errorText)")
    }
  }

  deinit { holder.signal(SIGKILL) }

  /// What stands before a command that runs there.
  var wrapper: [String] {
    ["nsenter", "-t", String(holder.processID), "-n", "-m"]
      + (Self.isRoot ? [] : ["-U", "--preserve-credentials"])
  }
}
