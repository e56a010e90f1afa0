import Foundation

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
    let before = lines.count
    driver.write(expression + "\n")
    let patience = ContinuousClock.now + PollingBackoff.limit
    while lines.count == before {
      guard ContinuousClock.now < patience, driver.snapshot.status == nil else {
        throw ProcessFailure("no answer to \(expression): \(driver.snapshot.errorText)")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    let line = String(lines[before])
    guard !line.hasPrefix("failed:") else { throw ProcessFailure("\(expression) \(line)") }
    return line
  }

  private var lines: [Substring] {
    let text = driver.snapshot.outputText
    guard let end = text.lastIndex(of: "\n") else { return [] }
    return text[...end].split(separator: "\n")
  }
}
