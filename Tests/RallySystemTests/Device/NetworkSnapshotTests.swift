import RallyWire
import Testing

@testable import RallySystem

struct NetworkSnapshotTests {
  private let device = FakeDevice()
  private static let header =
    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT"

  private func snapshot() -> NetworkSnapshot {
    .fromFiles(process: device.process, system: device.system)
  }

  private func writeRoutes(_ lines: String...) {
    device.write(
      "net/route", ([Self.header] + lines).joined(separator: "\n"), in: "proc")
  }

  @Test func `no route table means no way out`() {
    #expect(snapshot().best == nil)
    #expect(!snapshot().availability(at: .now).value)
    #expect(snapshot().availability(at: .now).detail == "no default route")
  }

  @Test func `a default route by a link that carries is a way out`() {
    writeRoutes(
      "eth0\t0001A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0",
      "eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0")
    device.write("class/net/eth0/operstate", "up")
    #expect(snapshot().routes == [DefaultRoute(link: "eth0", metric: 100, isUsable: true)])
    #expect(snapshot().availability(at: .now).value)
  }

  @Test func `a route that stays when the cable is pulled is no way out`() {
    writeRoutes("eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0")
    device.write("class/net/eth0/operstate", "down")
    #expect(!snapshot().availability(at: .now).value)
    #expect(snapshot().availability(at: .now).detail == "eth0 does not carry")
  }

  @Test func `tunnels that do not know their state are trusted`() {
    writeRoutes("tun0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0")
    device.write("class/net/tun0/operstate", "unknown")
    #expect(snapshot().availability(at: .now).value)
  }

  @Test func `half of the addresses is not a default route`() {
    writeRoutes("tun0\t00000000\t00000000\t0001\t0\t0\t0\t00000080\t0\t0\t0")
    #expect(snapshot().routes.isEmpty)
  }

  @Test func `IPv6 alone is enough and its unreachable default is not`() {
    let zero = String(repeating: "0", count: 32)
    let gateway = "fe800000000000000000000000000001"
    device.write(
      "net/ipv6_route", "\(zero) 00 \(zero) 00 \(zero) ffffffff 00000001 00000000 00200200 lo",
      in: "proc")
    #expect(snapshot().routes.isEmpty)
    device.write(
      "net/ipv6_route",
      """
      \(zero) 00 \(zero) 00 \(gateway) 00000400 00000001 00000000 00450003 wlan0
      \(zero) 00 \(zero) 00 \(zero) ffffffff 00000001 00000000 00200200 lo
      """, in: "proc")
    device.write("class/net/wlan0/operstate", "up")
    #expect(
      snapshot().routes
        == [DefaultRoute(link: "wlan0", isIPv6: true, metric: 1024, isUsable: true)])
  }

  @Test func `the preferred way out that carries is the one that counts`() {
    let snapshot = NetworkSnapshot(
      routes: [
        DefaultRoute(link: "wwan0", metric: 700, isUsable: true),
        DefaultRoute(link: "eth0", metric: 100, isUsable: false),
        DefaultRoute(link: "wlan0", metric: 600, isUsable: true),
      ], source: "test")
    #expect(snapshot.best?.link == "wlan0")
    #expect(snapshot.expense(at: .now, device.system)?.value == false)
  }

  @Test(arguments: ["wwan0", "ppp0"])
  func `a mobile link is expensive by its name`(_ link: String) {
    let snapshot = NetworkSnapshot(
      routes: [DefaultRoute(link: link, isUsable: true)], source: "test")
    #expect(snapshot.expense(at: .now, device.system)?.value == true)
    #expect(snapshot.expense(at: .now, device.system)?.cause == "metered")
  }

  @Test func `a mobile link under another name is known by its kind`() {
    device.write("class/net/wwp0s20/uevent", "DEVTYPE=wwan\nINTERFACE=wwp0s20\nIFINDEX=4")
    device.write("class/net/wlan0/uevent", "DEVTYPE=wlan\nINTERFACE=wlan0")
    for (link, isExpensive) in [("wwp0s20", true), ("wlan0", false), ("eth0", false)] {
      let snapshot = NetworkSnapshot(
        routes: [DefaultRoute(link: link, isUsable: true)], source: "test")
      #expect(snapshot.expense(at: .now, device.system)?.value == isExpensive)
    }
  }

  @Test func `without a way out nobody can say what it costs`() {
    #expect(snapshot().expense(at: .now, device.system) == nil)
  }

  @Test func `the kernel and the files of this machine agree on its way out`() throws {
    let kernel = try #require(NetworkSnapshot.fromKernel())
    let files = NetworkSnapshot.fromFiles(
      process: AttributeReader(root: "/proc"), system: AttributeReader(root: "/sys"))
    #expect(kernel.best?.link == files.best?.link)
  }
}
