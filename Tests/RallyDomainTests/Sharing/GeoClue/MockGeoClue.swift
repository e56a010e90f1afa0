import RallyTestSupport
import RallyWire

@testable import RallyDomain
@testable import RallySystem

/// GeoClue's interfaces on a private bus, by python3-dbusmock, for what a real GeoClue does not do.
final class MockGeoClue: Sendable {
  static let client = "/org/freedesktop/GeoClue2/Client/1"

  let bus: PrivateBus
  private let mocks: MockServices
  private let manager = GeoClueCall.manager

  init() async throws {
    bus = try await PrivateBus()
    mocks = try await MockServices(on: bus)
  }

  /// - Parameters:
  ///   - level: What it could measure with.
  ///   - start: What the method `Start` does, in Python.
  func start(level: Int = 8, start: String = "") async throws -> RunningCommand {
    let service = try await mocks.start(
      name: manager.service, path: manager.path, interface: manager.interface)
    try await mock(
      manager.path, "AddProperties",
      "'\(manager.interface)', {'AvailableAccuracyLevel': dbus.UInt32(\(level))}")
    try await mock(
      manager.path, "AddObject",
      """
      '\(Self.client)', '\(GeoClueCall.client)', dbus.Dictionary({'DesktopId': '', \
      'RequestedAccuracyLevel': dbus.UInt32(0), 'DistanceThreshold': dbus.UInt32(9), \
      'TimeThreshold': dbus.UInt32(9), 'Active': dbus.Boolean(True)}, signature='sv'), \
      [('Start', '', '', '''\(start)'''), ('Stop', '', '', '')]
      """)
    try await mock(
      manager.path, "AddMethod", "'\(manager.interface)', 'DeleteClient', 'o', '', ''")
    try await mock(
      manager.path, "AddMethod",
      "'\(manager.interface)', 'GetClient', '', 'o', 'ret = dbus.ObjectPath(\"\(Self.client)\")'")
    return service
  }

  /// Sends `LocationUpdated` for a new location object.
  ///
  /// - Parameter values: A Python dictionary.
  func locate(_ number: Int, _ values: String) async throws {
    let path = "\(Self.client)/Location/\(number)"
    try await mock(
      manager.path, "AddObject",
      "'\(path)', 'org.freedesktop.GeoClue2.Location', dbus.Dictionary(\(values), signature='sv'), "
        + "dbus.Array([], signature='(ssss)')")
    try await mock(
      Self.client, "EmitSignal",
      "'\(GeoClueCall.client)', 'LocationUpdated', 'oo', "
        + "[dbus.ObjectPath('/'), dbus.ObjectPath('\(path)')]")
  }

  /// A position that was measured now.
  func locate(
    _ number: Int, at place: Coordinate, accuracy: Double = 30, age: Int64 = 0
  ) async throws {
    let time = WireTime.now.microseconds - age * 1_000_000
    try await locate(
      number,
      """
      {'Latitude': \(place.latitude), 'Longitude': \(place.longitude), 'Accuracy': \
      dbus.Double(\(accuracy)), 'Speed': -1.0, 'Heading': -1.0, 'Description': 'Wi-Fi', \
      'Timestamp': dbus.Struct((dbus.UInt64(\(time / 1_000_000)), \
      dbus.UInt64(\(time % 1_000_000))), signature='tt')}
      """)
  }

  func set(level: Int) async throws {
    try await mocks.set(
      manager.service, manager.path, manager.interface,
      "{'AvailableAccuracyLevel': dbus.UInt32(\(level))}")
  }

  func set(active: Bool) async throws {
    try await mocks.set(
      manager.service, Self.client, GeoClueCall.client,
      "{'Active': dbus.Boolean(\(active ? "True" : "False"))}")
  }

  /// The client's properties, as Python writes them.
  func property(_ name: String) async throws -> String {
    try await mocks.run(
      "str(call('\(manager.service)', '\(Self.client)', '\(GeoClueCall.properties)', 'Get', "
        + "'\(GeoClueCall.client)', '\(name)'))")
  }

  /// The methods that were called.
  func calls(of path: String) async throws -> String {
    try await mocks.run(
      "[str(c[1]) for c in call('\(manager.service)', '\(path)', 'org.freedesktop.DBus.Mock', "
        + "'GetCalls')]")
  }

  private func mock(_ path: String, _ method: String, _ arguments: String) async throws {
    try await mocks.run(
      "call('\(manager.service)', '\(path)', 'org.freedesktop.DBus.Mock', '\(method)', "
        + "\(arguments))")
  }
}
