import FoundationEssentials
import Glibc
import RallyTestSupport
import Testing

@testable import RallySystem

@MainActor
struct PowerServicesTests {
  private let profiles = PowerProfiles.objects[0]
  private let formerProfiles = PowerProfiles.objects[1]

  @Test func `the power profile is read under both names of its service, the new one first`()
    async throws
  {
    let services = try await DeviceServices()
    let former = try await services.start(formerProfiles, template: "power_profiles_daemon")
    let signals = services.signals()
    let changes = signals.start()
    try await until { signals.latest.lowPower?.source == "power profiles (net.hadess)" }
    #expect(signals.latest.lowPower?.value == false)
    #expect(signals.latest.lowPower?.detail == "balanced")

    try await services.set(formerProfiles, "{'ActiveProfile': 'power-saver'}")
    try await until { signals.latest.lowPower?.cause == "power saver" }

    let present = try await services.start(
      profiles, "{'ActiveProfile': 'performance', 'PerformanceDegraded': ''}")
    try await until { signals.taken(.lowPower) == "power profiles" }
    #expect(signals.latest.lowPower?.value == false)
    #expect(signals.says("power profiles (net.hadess)", .lowPower) == "on")

    present.signal(SIGKILL)
    try await until { signals.taken(.lowPower) == "power profiles (net.hadess)" }
    #expect(signals.says("power profiles", .lowPower) == "not there")
    former.signal(SIGKILL)
    try await until { signals.latest.lowPower == nil }
    _ = changes
  }

  @Test func `a program that holds the profile is named`() async throws {
    let services = try await DeviceServices()
    let service = try await services.start(formerProfiles, template: "power_profiles_daemon")
    try await services.set(formerProfiles, "{'ActiveProfile': 'power-saver'}")
    try await services.mocks.run(
      "call('\(formerProfiles.service)', '\(formerProfiles.path)', '\(formerProfiles.interface)', "
        + "'HoldProfile', 'power-saver', 'Saving', 'org.example.Game')")
    let readings = await services.signals().examine()
    #expect(readings.lowPower?.detail == "power-saver for org.example.Game: Saving")
    _ = service
  }

  @Test func `performance that heat degrades is serious without any thermal zone`() async throws {
    let services = try await DeviceServices()
    let service = try await services.start(
      profiles, "{'ActiveProfile': 'balanced', 'PerformanceDegraded': ''}")
    let signals = services.signals()
    let changes = signals.start()
    try await until { signals.latest.thermal?.value == .nominal }
    for (reason, state) in [
      ("lap-detected", ThermalState.fair), ("high-operating-temperature", .serious), ("", .nominal),
    ] {
      try await services.set(profiles, "{'PerformanceDegraded': '\(reason)'}")
      try await until { signals.latest.thermal?.value == state }
    }
    _ = (changes, service)
  }

  @Test func `a battery that UPower calls low constrains with its charge`() async throws {
    let services = try await DeviceServices()
    services.battery(15)
    let service = try await services.start(
      UPower.service, template: "upower", #"{"OnBattery": true}"#)
    let signals = services.signals()
    let changes = signals.start()
    try await until { signals.latest.lowPower?.source == "UPower" }
    // The limit is UPower's own: that of sysfs does not count beside it.
    #expect(signals.latest.lowPower?.value == false)
    #expect(signals.says("battery BAT0", .lowPower) == "on")

    try await services.call(
      UPower.service, "SetupDisplayDevice", "2, 2, 12.0, 6.0, 50.0, 7.2, 2250, 0, True, 'low', 3")
    try await until { signals.latest.lowPower?.cause == "battery 12%" }
    #expect(signals.latest.lowPower?.detail == "12%, discharging")
    #expect(signals.taken(.lowPower) == "UPower")

    try await services.set(UPower.service, "{'OnBattery': False}")
    try await until { signals.latest.lowPower?.value == false }
    #expect(signals.latest.lowPower?.detail == "on mains, 12%")
    _ = (changes, service)
  }

  @Test func `a battery is polled only while UPower is not there, and nothing else wakes up`()
    async throws
  {
    let services = try await DeviceServices()
    services.battery(55)
    let signals = services.signals()
    let changes = signals.start()
    try await until { signals.polls == [.power] }
    try await until { signals.taken(.lowPower) == "battery BAT0" }

    let service = try await services.start(UPower.service, template: "upower")
    try await services.set(UPower.service, "{'OnBattery': False}")
    try await until { signals.sourceCount == 0 }
    #expect(signals.taken(.lowPower) == "UPower")

    service.signal(SIGKILL)
    try await until { signals.polls == [.power] }
    #expect(signals.taken(.lowPower) == "battery BAT0")
    _ = changes
  }

  @Test(arguments: [
    ("{'OnBattery': 'yes'}", "OnBattery is missing or of a wrong type"),
    ("{'OnBattery': dbus.Array([True])}", "OnBattery is missing or of a wrong type"),
    ("{'OnBattery': True}", "the battery does not answer"),
  ])
  func `a service that sends nonsense is passed over and its fault is told`(
    _ properties: String, _ fault: String
  ) async throws {
    let services = try await DeviceServices()
    services.battery(9)
    let service = try await services.start(UPower.service, properties)
    let signals = services.signals()
    let changes = signals.start()
    try await until { signals.says("UPower", .lowPower) == fault }
    #expect(signals.taken(.lowPower) == "battery BAT0")
    #expect(signals.latest.lowPower?.cause == "battery 9%")
    _ = (changes, service)
  }

  @Test func `a service that is silent is passed over until it answers`() async throws {
    let services = try await DeviceServices()
    services.battery(9)
    let service = try await services.start(UPower.service, template: "upower")
    service.signal(SIGSTOP)
    defer { service.signal(SIGCONT) }
    let signals = services.signals()
    let start = ContinuousClock.now
    let changes = signals.start()
    try await until { signals.taken(.lowPower) == "battery BAT0" }
    try await until { signals.says("UPower", .lowPower) == "no answer" }
    // A second, and some room for a busy machine.
    #expect(ContinuousClock.now - start < .seconds(5))
    #expect(signals.latest.lowPower?.value == true)

    service.signal(SIGCONT)
    try await until { signals.taken(.lowPower) == "UPower" }
    #expect(signals.latest.lowPower?.value == false)
    _ = changes
  }

  @Test func `a service that does not run is not started`() async throws {
    let folder = try TemporaryFolder()
    let mark = folder.file("started")
    let bus = try await PrivateBus(startable: [UPower.service.service: "/usr/bin/touch \(mark)"])
    var roots = FakeDevice().roots
    roots.systemBus = bus.address
    let signals = DeviceSignals(roots: roots, serverReach: .thisMachine, routes: .files)
    let readings = await signals.examine()
    #expect(readings.providers[.lowPower]?.contains { $0.says != "not there" } == false)
    #expect(access(mark, F_OK) != 0)

    // The bus would have started it for another caller.
    let mocks = try await MockServices(on: bus)
    _ = try? await mocks.run(
      "call('org.freedesktop.DBus', '/', 'org.freedesktop.DBus', 'StartServiceByName', "
        + "'\(UPower.service.service)', dbus.UInt32(0))")
    #expect(access(mark, F_OK) == 0)
  }

  @Test func `values come back after the bus was started anew`() async throws {
    let services = try await DeviceServices()
    services.battery(9)
    var service = try await services.start(UPower.service, template: "upower")
    let signals = services.signals()
    let changes = signals.start()
    try await until { signals.taken(.lowPower) == "UPower" }

    services.bus.end()
    try await until { signals.taken(.lowPower) == "battery BAT0" }
    #expect(signals.latest.busProblem != nil)

    try await services.bus.restart()
    let mocks = try await MockServices(on: services.bus)
    service = try await mocks.start(
      template: "upower", name: UPower.service.service, path: UPower.service.path)
    try await mocks.set(
      UPower.service.service, UPower.service.path, UPower.service.interface, "{'OnBattery': False}")
    try await until { signals.taken(.lowPower) == "UPower" }
    #expect(signals.latest.busProblem == nil)
    _ = (changes, service)
  }

  @Test func `a machine without a bus says so and has no timer for it`() async {
    let device = FakeDevice()
    var roots = device.roots
    roots.systemBus = "unix:path=\(device.folder.path)/nowhere"
    let signals = DeviceSignals(roots: roots, serverReach: .thisMachine, routes: .files)
    var changes = signals.start().makeAsyncIterator()
    #expect(await changes.next() != nil)
    #expect(signals.sourceCount == 0)
    #expect(signals.latest.busProblem == "no bus listens there")
    #expect(signals.says("UPower", .lowPower) == "not there")
  }
}
