import Glibc
import RallyTestSupport
import Testing

@testable import RallySystem

@MainActor
struct NetworkServicesTests {
  @Test func `a metered connection is expensive, and asks to save data only if somebody set it`()
    async throws
  {
    let services = try await DeviceServices()
    let service = try await services.start(
      NetworkManager.object, template: "networkmanager", #"{"Connectivity": 4}"#)
    try await services.call(
      NetworkManager.object, "AddProperty",
      "'\(NetworkManager.object.interface)', 'Metered', dbus.UInt32(2)")
    let signals = services.signals(serverReach: .network)
    let changes = signals.start()
    try await until { signals.taken(.expensive) == "NetworkManager" }

    for (metered, isExpensive, isLowData) in [
      (1, true, true), (3, true, false), (4, false, false), (2, false, false),
    ] {
      try await services.set(NetworkManager.object, "{'Metered': dbus.UInt32(\(metered))}")
      try await until {
        signals.latest.expensive?.value == isExpensive && signals.latest.lowData?.value == isLowData
      }
    }
    try await services.set(NetworkManager.object, "{'Metered': dbus.UInt32(0)}")
    try await until { signals.says("NetworkManager", .expensive) == "unknown" }
    #expect(signals.latest.lowData == nil)
    try await services.set(NetworkManager.object, "{'Metered': 'yes'}")
    try await until {
      signals.says("NetworkManager", .lowData) == "Metered is missing or of a wrong type"
    }
    try await services.set(NetworkManager.object, "{'Metered': dbus.UInt32(77)}")
    try await until {
      signals.says("NetworkManager", .lowData) == "Metered is 77, which means nothing"
    }
    _ = (changes, service)
  }

  @Test func `routes decide whether there is a network, beside what NetworkManager says`()
    async throws
  {
    let services = try await DeviceServices()
    let service = try await services.start(
      NetworkManager.object, template: "networkmanager", #"{"Connectivity": 2}"#)
    let readings = await services.signals(serverReach: .network).examine()
    let providers = try #require(readings.providers[.network])
    #expect(providers.map(\.provider) == ["route table", "NetworkManager"])
    #expect(providers.map(\.says) == ["off", "on"])
    #expect(providers.map(\.isTaken) == [true, false])
    #expect(providers.last?.detail == "captive portal")
    _ = service
  }

  @Test func `in a sandbox the portal says what a connection costs`() async throws {
    let services = try await DeviceServices()
    let portal = try await services.mocks.start(
      name: PortalNetwork.object.service, path: PortalNetwork.object.path,
      interface: PortalNetwork.object.interface)
    func answer(_ isMetered: String) async throws {
      try await services.call(
        PortalNetwork.object, "AddMethod",
        "'', 'GetStatus', '', 'a{sv}', \"ret = {'available': True, 'metered': \(isMetered)}\"")
    }
    try await answer("True")
    var roots = services.device.roots
    roots.portalBus = services.bus.address
    let signals = DeviceSignals(roots: roots, serverReach: .network, routes: .files)
    let changes = signals.start()
    try await until { signals.taken(.expensive) == "portal" }
    #expect(signals.latest.expensive?.value == true)
    #expect(signals.latest.lowData == nil)

    try await answer("False")
    try await services.call(
      PortalNetwork.object, "EmitSignal",
      "'\(PortalNetwork.object.interface)', 'changed', '', dbus.Array([], signature='v')")
    try await until { signals.latest.expensive?.value == false }
    _ = (changes, portal)
  }

  @Test func `a server on this machine asks nobody about the network`() async throws {
    let services = try await DeviceServices()
    let readings = await services.signals().examine()
    #expect(readings.expensive?.source == "this machine")
    #expect(readings.lowData == nil)
    #expect(readings.providers[.expensive] == nil)
  }

  @Test func `the portal is asked only in a sandbox`() {
    let bus = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/b"]
    #expect(DeviceRoots(environment: bus).portalBus == nil)
    #expect(DeviceRoots(environment: bus.merging(["SNAP": "/snap/r/1"]) { $1 }).portalBus != nil)
    #expect(DeviceRoots(environment: [:]).systemBus == "unix:path=/run/dbus/system_bus_socket")
    #expect(
      DeviceRoots(environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/s"]).systemBus
        == "unix:path=/s")
  }
}
