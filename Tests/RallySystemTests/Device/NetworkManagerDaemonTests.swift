import Foundation
import RallyTestSupport
import Testing

@testable import RallySystem

private enum NetworkManagerDaemon {
  static let isInstalled = FileManager.default.isExecutableFile(
    atPath: "/usr/sbin/NetworkManager")
}

/// The real NetworkManager on a private bus, in a network of its own with one cable.
///
/// Needs root, and the package network-manager. Scripts/install-dependencies leaves that one out,
/// since installing it may take over the network of a machine that is not a container.
@MainActor
@Suite(
  .enabled(
    if: PrivateNetwork.isAllowed && NetworkManagerDaemon.isInstalled,
    "needs root, the ip command and the package network-manager"))
struct NetworkManagerDaemonTests {
  /// Hides the machine's own NetworkManager. A sysfs that cannot be written to tells NetworkManager
  /// not to wait for udev.
  private static let shell = """
    mkdir -p /run/NetworkManager && mount -t tmpfs tmpfs /run/NetworkManager \
    && mount -t tmpfs tmpfs /var/lib/NetworkManager && mount -t sysfs -o ro sysfs /sys \
    && exec /usr/bin/python3 -c "$0" "$@"
    """

  private static let program = """
    import subprocess, sys, time, dbus, dbus.bus
    def ip(*words): subprocess.run(["ip", *words], check=True)
    ip("link", "set", "lo", "up")
    ip("link", "add", "lan", "type", "veth", "peer", "name", "wall")
    for end in ["lan", "wall"]: ip("link", "set", end, "up")
    with open(sys.argv[2] + "/NetworkManager.conf", "w") as file:
      file.write(
        "[main]\\nplugins=keyfile\\ndns=none\\nauth-polkit=false\\nno-auto-default=*\\n"
        "[keyfile]\\npath=%s\\n[connectivity]\\nenabled=false\\n" % sys.argv[2])
    service = subprocess.Popen([
      "/usr/sbin/NetworkManager", "--no-daemon", "--config", file.name, "--config-dir", sys.argv[2],
      "--system-config-dir", sys.argv[2]])
    name = "org.freedesktop.NetworkManager"
    bus = dbus.bus.BusConnection(sys.argv[1])
    def proxy(path, interface):
      return dbus.Interface(bus.get_object(name, path, introspect=False), interface)
    def options(values): return dbus.Dictionary(values, signature="sv")
    def wait(step):
      for _ in range(3000):
        try: return step()
        except dbus.DBusException as problem: last = problem
        time.sleep(0.02)
      raise last
    def profile(metered):
      address = options({"address": "192.0.2.7", "prefix": dbus.UInt32(24)})
      return dbus.Dictionary({
        "connection": options({
          "id": "cable", "uuid": "6d1b5b4e-7d9d-4f9e-9b0b-6f4d5a4d1a11",
          "type": "802-3-ethernet", "interface-name": "lan", "metered": dbus.Int32(metered)}),
        "802-3-ethernet": options({}),
        "ipv4": options({
          "method": "manual", "gateway": "192.0.2.1", "address-data": dbus.Array([address])}),
        "ipv6": options({"method": "disabled"})}, signature="sa{sv}")
    try:
      manager = wait(lambda: proxy("/org/freedesktop/NetworkManager", name))
      device = wait(lambda: manager.GetDeviceByIpIface("lan"))
      wait(lambda: manager.AddAndActivateConnection(profile(0), device, dbus.ObjectPath("/")))
      print("ready", flush=True)
      for line in sys.stdin:
        words = line.split()
        if words[0] == "metered":
          proxy(device, name + ".Device").Reapply(
            profile(int(words[1])), dbus.UInt64(0), dbus.UInt32(0), timeout=60)
        else: ip("link", "set", "wall", words[0])
    finally: service.kill()
    """

  @Test func `what a cable costs, and that it was pulled, reach the policy through NetworkManager`()
    async throws
  {
    let services = try await DeviceServices()
    let folder = try TemporaryFolder()
    let networkManager = try RunningCommand(
      "unshare",
      // In a process namespace of its own, so that NetworkManager ends with this command.
      ["-m", "-n", "-p", "--kill-child", "sh", "-c", Self.shell, Self.program]
        + [services.bus.address, folder.path],
      environment: folder.environment.merging(
        ["DBUS_SYSTEM_BUS_ADDRESS": services.bus.address]) { $1 })
    _ = try await networkManager.firstLine()
    let signals = services.signals(serverReach: .network)
    let changes = signals.start()
    // Nobody said, so it is a guess.
    try await until {
      signals.latest.expensive?.value == false && signals.latest.lowData?.value == false
    }
    #expect(signals.taken(.expensive) == "NetworkManager")
    #expect(signals.latest.expensive?.detail == "guessed not metered, 802-3-ethernet")
    try await until { signals.says("NetworkManager", .network) == "on" }

    networkManager.write("metered 1\n")
    try await until {
      signals.latest.expensive?.value == true && signals.latest.lowData?.value == true
    }
    networkManager.write("metered 2\n")
    try await until { signals.latest.expensive?.detail == "not metered, 802-3-ethernet" }
    #expect(signals.latest.expensive?.value == false)

    networkManager.write("down\n")
    try await until { signals.says("NetworkManager", .network) == "off" }
    networkManager.write("up\n")
    try await until { signals.says("NetworkManager", .network) == "on" }
    _ = (changes, networkManager)
  }
}
