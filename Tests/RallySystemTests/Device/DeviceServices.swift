import RallyTestSupport

@testable import RallySystem

/// A fake device with services on a private bus in the place of the system bus.
final class DeviceServices: Sendable {
  let device = FakeDevice()
  let bus: PrivateBus
  let mocks: MockServices

  init() async throws {
    bus = try await PrivateBus()
    mocks = try await MockServices(on: bus)
  }

  func signals(serverReach: ServerReach = .thisMachine) -> DeviceSignals {
    var roots = device.roots
    roots.systemBus = bus.address
    return DeviceSignals(roots: roots, serverReach: serverReach, routes: .files)
  }

  func battery(_ capacity: Int) {
    device.write("class/power_supply/BAT0/type", "Battery")
    device.write("class/power_supply/BAT0/status", "Discharging")
    device.write("class/power_supply/BAT0/capacity", "\(capacity)")
  }

  func start(_ object: BusObject, template: String, _ parameters: String = "{}") async throws
    -> RunningCommand
  {
    try await mocks.start(
      template: template, name: object.service, path: object.path, parameters: parameters)
  }

  /// Starts a service with one object.
  ///
  /// - Parameter properties: A Python dictionary.
  func start(_ object: BusObject, _ properties: String) async throws -> RunningCommand {
    let service = try await mocks.start(
      name: object.service, path: object.path, interface: object.interface)
    try await call(object, "AddProperties", "'\(object.interface)', \(properties)")
    try await set(object, properties)
    return service
  }

  /// Sets properties and emits their change.
  func set(_ object: BusObject, _ properties: String) async throws {
    try await mocks.set(object.service, object.path, object.interface, properties)
  }

  /// Calls a method of the mock itself.
  func call(_ object: BusObject, _ method: String, _ arguments: String) async throws {
    try await mocks.run(
      "call('\(object.service)', '\(object.path)', 'org.freedesktop.DBus.Mock', '\(method)', "
        + "\(arguments))")
  }
}

extension DeviceSignals {
  /// What a provider says of a signal.
  func says(_ provider: String, _ signal: PolicySignal) -> String? {
    latest.providers[signal]?.first { $0.provider == provider }?.says
  }

  /// The provider whose value of a signal is used.
  func taken(_ signal: PolicySignal) -> String? {
    latest.providers[signal]?.first(where: \.isTaken)?.provider
  }
}
