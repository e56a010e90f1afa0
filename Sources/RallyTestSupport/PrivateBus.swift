import CNotificationServer
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

/// Services of python3-dbusmock on a private bus, and a Python program that changes them.
public final class MockServices: Sendable {
  private static let python = "/usr/bin/python3"
  /// Calls a method of a mock for each line, and prints a line when that is done.
  private static let program = """
    import sys, time, dbus, dbus.bus
    bus = dbus.bus.BusConnection(sys.argv[1])
    def call(name, path, interface, method, *arguments):
      object = bus.get_object(name, path, introspect=False)
      return object.get_dbus_method(method, interface)(*arguments, timeout=60)
    def wait(name, path):
      while True:
        try: return call(name, path, "org.freedesktop.DBus.Peer", "Ping")
        except dbus.DBusException: time.sleep(0.02)
    print("ready", flush=True)
    for line in sys.stdin:
      try: print(repr(eval(line)), flush=True)
      except Exception as problem: print("failed:", problem, flush=True)
    """

  private let address: String
  private let folder: TemporaryFolder
  private let driver: RunningCommand

  /// - Throws: `ProcessFailure` if python3-dbusmock is missing.
  public init(on bus: PrivateBus) async throws {
    address = bus.address
    folder = try TemporaryFolder()
    driver = try RunningCommand(
      Self.python, ["-c", Self.program, address], environment: folder.environment)
    do {
      _ = try await driver.firstLine()
    } catch {
      throw ProcessFailure("The package python3-dbusmock is needed. \(error)")
    }
  }

  /// Starts a service from one of dbusmock's templates, and waits until it answers.
  ///
  /// - Parameter parameters: JSON.
  /// - Throws: `ProcessFailure` if it does not start.
  public func start(
    template: String, name: String, path: String, parameters: String = "{}"
  ) async throws -> RunningCommand {
    try await start(name, path, ["--system", "-t", template, "--parameters", parameters])
  }

  /// Starts a service with one object without properties, and waits until it answers.
  ///
  /// - Throws: `ProcessFailure` if it does not start.
  public func start(name: String, path: String, interface: String) async throws -> RunningCommand {
    try await start(name, path, ["--system", name, path, interface])
  }

  private func start(
    _ name: String, _ path: String, _ arguments: [String]
  ) async throws -> RunningCommand {
    let service = try RunningCommand(
      Self.python, ["-m", "dbusmock"] + arguments,
      environment: folder.environment.merging(["DBUS_SYSTEM_BUS_ADDRESS": address]) { $1 })
    try await run("wait('\(name)', '\(path)')")
    return service
  }

  /// Sets properties, given as a Python dictionary, and emits `PropertiesChanged`.
  ///
  /// - Throws: `ProcessFailure` if the service refuses.
  public func set(
    _ name: String, _ path: String, _ interface: String, _ properties: String
  ) async throws {
    try await run(
      "call('\(name)', '\(path)', 'org.freedesktop.DBus.Mock', 'UpdateProperties', "
        + "'\(interface)', \(properties))")
  }

  /// Evaluates a Python expression with `call(name, path, interface, method, …)`.
  ///
  /// - Throws: `ProcessFailure` if it fails.
  @discardableResult
  public func run(_ expression: String) async throws -> String {
    let before = driver.snapshot.wholeLines.count
    driver.write(expression + "\n")
    let line = try await driver.line(before)
    guard !line.hasPrefix("failed:") else { throw ProcessFailure("\(expression) \(line)") }
    return line
  }
}

/// A private D-Bus session bus with a notification server that records what a desktop would show.
public final class NotificationServer: Sendable {
  public struct Note: Hashable, Sendable {
    public var application: String
    public var summary: String
    public var body: String
    public var category: String
    public var replaces: UInt32
    public var id: UInt32
    public var urgency: UInt8
  }

  private let bus: PrivateBus
  // Safe: the C code guards its state with a lock, and it is stopped once.
  nonisolated(unsafe) private let server: OpaquePointer

  /// - Parameter capabilities: The reported capabilities, such as `body-markup`.
  /// - Throws: `ProcessFailure` if `dbus-daemon` or libsystemd is missing.
  public init(capabilities: [String] = ["body", "body-markup"]) async throws {
    bus = try await PrivateBus()
    var server: OpaquePointer?
    let code = rally_notification_start(bus.address, capabilities.joined(separator: ","), &server)
    guard code == 0, let server else {
      throw ProcessFailure("no notification server: \(String(cString: strerror(-code)))")
    }
    self.server = server
  }

  deinit {
    rally_notification_stop(server)
    bus.end()
  }

  public var address: String { bus.address }

  /// Kills the bus, which breaks all connections.
  public func end() { bus.end() }

  /// All notifications, in order.
  public var notes: [Note] {
    (0..<Int(rally_notification_count(server))).compactMap { index in
      var note = rally_notification_note()
      guard rally_notification_get(server, Int32(index), &note) == 0 else { return nil }
      return Note(
        application: Self.text(note.application), summary: Self.text(note.summary),
        body: Self.text(note.body), category: Self.text(note.category), replaces: note.replaces,
        id: note.id, urgency: note.urgency)
    }
  }

  /// The id of the notification that was closed last.
  public var closed: UInt32 { rally_notification_closed(server) }

  private static func text<Buffer>(_ buffer: Buffer) -> String {
    withUnsafeBytes(of: buffer) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
