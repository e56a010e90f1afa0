import Glibc
import RallySystem
import RallyTestSupport
import Testing

/// The real upowerd on a private bus, with a battery that umockdev makes up.
@MainActor
struct UPowerDaemonTests {
  private static let program = """
    import subprocess, sys, gi
    gi.require_version("UMockdev", "1.0")
    from gi.repository import UMockdev
    bed = UMockdev.Testbed.new()
    battery = bed.add_device("power_supply", "BAT0", None, [
      "type", "Battery", "present", "1", "status", "Discharging", "energy_full", "60000000",
      "energy_full_design", "60000000", "energy_now", "48000000", "power_now", "5000000",
      "voltage_now", "12000000", "capacity", "80"], ["POWER_SUPPLY_ONLINE", "1"])
    service = subprocess.Popen(["/usr/libexec/upowerd"])
    print("ready", flush=True)
    try:
      for line in sys.stdin:
        for name, value in zip(*[iter(line.split())] * 2): bed.set_attribute(battery, name, value)
        bed.uevent(battery, "change")
    finally:
      service.kill()
    """

  @Test func `a battery that runs low reaches the policy through upowerd`() async throws {
    let services = try await DeviceServices()
    let folder = try TemporaryFolder()
    let upowerd = try RunningCommand(
      "umockdev-wrapper", ["/usr/bin/python3", "-c", Self.program],
      environment: folder.environment.merging(
        // What umockdev makes is removed with the folder.
        ["DBUS_SYSTEM_BUS_ADDRESS": services.bus.address, "TMPDIR": folder.path]) { $1 })
    // Closing its input ends upowerd too.
    defer { upowerd.closeInput() }
    do {
      _ = try await upowerd.firstLine()
    } catch {
      throw ProcessFailure("The packages upower and gir1.2-umockdev-1.0 are needed. \(error)")
    }
    let signals = services.signals()
    let changes = signals.start()
    try await until { signals.latest.lowPower?.detail == "80%, discharging" }
    #expect(signals.taken(.lowPower) == "UPower")
    #expect(signals.latest.lowPower?.value == false)

    upowerd.write("energy_now 3600000 capacity 6\n")
    try await until { signals.latest.lowPower?.cause == "battery 6%" }
    upowerd.write("status Charging\n")
    try await until { signals.latest.lowPower?.value == false }
    _ = changes
  }
}
