import Foundation
import Synchronization

/// A `dbus-daemon` of a test, in the place of a session bus or the system bus.
public final class PrivateBus: Sendable {
  public let address: String
  private let folder: TemporaryFolder
  private let daemon: Mutex<RunningCommand>

  /// - Parameter startable: Services that the bus can start, with their command lines.
  /// - Throws: `ProcessFailure` if `dbus-daemon` is missing (package `dbus`).
  public init(startable: [String: String] = [:]) async throws {
    folder = try TemporaryFolder()
    for (name, command) in startable {
      try "[D-BUS Service]\nName=\(name)\nExec=\(command)\n".write(
        toFile: folder.file("\(name).service"), atomically: true, encoding: .utf8)
    }
    address = "unix:path=\(folder.file("bus"))"
    daemon = Mutex(try await Self.start(in: folder))
  }

  deinit { end() }

  /// Kills the bus, which breaks all connections.
  public func end() { daemon.withLock { $0.signal(SIGKILL) } }

  /// Starts a bus anew at the same address.
  ///
  /// - Throws: `ProcessFailure` if it does not start.
  public func restart() async throws {
    end()
    try? FileManager.default.removeItem(atPath: folder.file("bus"))
    let started = try await Self.start(in: folder)
    daemon.withLock { $0 = started }
  }

  private static func start(in folder: TemporaryFolder) async throws -> RunningCommand {
    let configuration = folder.file("bus.conf")
    try """
    <busconfig>
      <type>session</type>
      <listen>unix:path=\(folder.file("bus"))</listen>
      <auth>EXTERNAL</auth>
      <servicedir>\(folder.path)</servicedir>
      <policy context="default">
        <allow user="*"/>
        <allow send_destination="*" eavesdrop="true"/>
        <allow receive_sender="*"/>
        <allow own="*"/>
      </policy>
    </busconfig>
    """.write(toFile: configuration, atomically: true, encoding: .utf8)
    let daemon = try RunningCommand(
      "dbus-daemon", ["--config-file=\(configuration)", "--nofork", "--print-address"],
      environment: folder.environment)
    _ = try await daemon.firstLine()
    return daemon
  }
}
