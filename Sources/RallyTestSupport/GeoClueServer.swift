import Foundation

/// A real GeoClue on a private bus, which the bus starts when it is asked, with a receiver and the
/// location agent of a desktop.
public final class GeoClueServer: Sendable {
  private static let program = """
    import functools, os, socket, sys, threading, time, dbus, dbus.service
    from dbus.mainloop.glib import DBusGMainLoop
    from gi.repository import GLib
    DBusGMainLoop(set_as_default=True)
    bus = dbus.bus.BusConnection(sys.argv[1])
    name = "org.freedesktop.GeoClue2"
    here = ["51.05", "3.72"]
    def sentence(text):
      sum = functools.reduce(lambda sum, letter: sum ^ ord(letter), text, 0)
      return ("$%s*%02X\\r\\n" % (text, sum)).encode()
    def degrees(text, width):
      number = float(text)
      return "%0*d%07.4f" % (width, int(number), number % 1 * 60)
    def report(client):
      try:
        while True:
          now = time.strftime("%H%M%S.00", time.gmtime())
          client.sendall(sentence("GPGGA,%s,%s,N,%s,E,1,08,4.0,12.0,M,46.9,M,," % (
            now, degrees(here[0], 2), degrees(here[1], 3))))
          time.sleep(0.1)
      except OSError: pass
    receiver = socket.socket(socket.AF_UNIX)
    receiver.bind(sys.argv[2])
    receiver.listen(8)
    def accept():
      while True: threading.Thread(target=report, args=(receiver.accept()[0],), daemon=True).start()
    threading.Thread(target=accept, daemon=True).start()
    class Agent(dbus.service.Object):
      level = 8
      @dbus.service.method(name + ".Agent", in_signature="su", out_signature="bu")
      def AuthorizeApp(self, app, level): return True, level
      @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="s", out_signature="a{sv}")
      def GetAll(self, interface): return {"MaxAccuracyLevel": dbus.UInt32(self.level)}
      @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="ss", out_signature="v")
      def Get(self, interface, property): return dbus.UInt32(self.level)
      @dbus.service.signal(dbus.PROPERTIES_IFACE, signature="sa{sv}as")
      def PropertiesChanged(self, interface, changed, gone): pass
    agent = Agent(bus, "/org/freedesktop/GeoClue2/Agent")
    def obey(source, condition):
      words = source.readline().split()
      if not words: os._exit(0)
      if words[0] == "at": here[:] = words[1:]
      if words[0] == "agent":
        manager = bus.get_object(name, "/org/freedesktop/GeoClue2/Manager", introspect=False)
        manager.AddAgent(
          "geoclue-demo-agent", dbus_interface=name + ".Manager", reply_handler=lambda: None,
          error_handler=lambda problem: print(problem, file=sys.stderr))
      if words[0] == "allow":
        agent.level = int(words[1])
        agent.PropertiesChanged(name + ".Agent", {"MaxAccuracyLevel": dbus.UInt32(agent.level)}, [])
      return True
    GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, obey)
    print("ready", flush=True)
    GLib.MainLoop().run()
    """

  public let bus: PrivateBus
  private let folder: TemporaryFolder
  private let desktop: RunningCommand

  /// Nothing runs yet but the bus and the receiver.
  ///
  /// - Throws: `ProcessFailure` if a package is missing.
  public init() async throws {
    let file = "/usr/libexec/geoclue"
    guard FileManager.default.isExecutableFile(atPath: file) else {
      throw ProcessFailure(
        "There is no \(file): install geoclue-2.0, as Scripts/install-dependencies --tests does.")
    }
    folder = try TemporaryFolder()
    let receiver = folder.file("receiver")
    // It must not ask a service on the Internet where this machine is.
    let proxy = ["http", "https", "all"].map { "\($0)_proxy=http://127.0.0.1:9" }
    bus = try await PrivateBus(startable: [
      "org.freedesktop.GeoClue2":
        "/bin/sh -c '\(proxy.joined(separator: " ")) DBUS_SYSTEM_BUS_ADDRESS=$DBUS_STARTER_ADDRESS "
        + "exec \(file) -t 0 -u \(receiver)'"
    ])
    desktop = try RunningCommand(
      "/usr/bin/python3", ["-c", Self.program, bus.address, receiver],
      environment: folder.environment)
    do {
      _ = try await desktop.firstLine()
    } catch {
      throw ProcessFailure("The packages python3-dbusmock and python3-gi are needed. \(error)")
    }
  }

  deinit {
    desktop.closeInput()
    bus.end()
  }

  /// The desktop's agent registers, without which GeoClue answers nobody.
  public func startAgent() { desktop.write("agent\n") }

  /// The person switches location on or off in the desktop's settings.
  public func allow(_ isAllowed: Bool) { desktop.write("allow \(isAllowed ? 8 : 0)\n") }

  /// The receiver is here from now on: positive degrees.
  public func move(to latitude: Double, _ longitude: Double) {
    desktop.write("at \(latitude) \(longitude)\n")
  }
}
