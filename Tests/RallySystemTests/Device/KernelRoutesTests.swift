import CNetlink
import Foundation
import Glibc
import RallyTestSupport
import RallyWire
import Synchronization
import Testing

@testable import RallySystem

/// Real links and routes of a network namespace that a thread has for itself.
@Suite(.enabled(if: PrivateNetwork.isAllowed, "needs root and the ip command"))
struct KernelRoutesTests {
  @Test func `the kernel's routes follow cables, links and gateways`() async throws {
    try await PrivateNetwork.run { network in
      let reader = AttributeReader(root: "/nowhere")
      func snapshot() throws -> NetworkSnapshot { try #require(NetworkSnapshot.fromKernel()) }

      try #require(snapshot().routes.isEmpty)

      try network.ip("link add v0 type veth peer name v1")
      try network.ip("addr add 10.77.0.1/24 dev v0")
      try network.ip("link set v0 up")
      try network.ip("link set v1 up")
      try network.ip("route add default via 10.77.0.2 metric 50")
      try network.waitForEvent()
      try #require(snapshot().best == DefaultRoute(link: "v0", metric: 50, isUsable: true))
      try #require(snapshot().availability(at: .now).value)
      try #require(snapshot().expense(at: .now, reader)?.value == false)

      // The cable is pulled: the route stays, and leads nowhere.
      try network.ip("link set v1 down")
      try network.waitForEvent()
      try network.waitUntil { try !snapshot().availability(at: .now).value }
      try #require(snapshot().routes.count == 1)

      try network.ip("link set v1 up")
      try network.waitForEvent()
      try network.waitUntil { try snapshot().availability(at: .now).value }

      // Another way out that is preferred less does not matter until it is the only one.
      try network.cable("wwan7")
      try network.ip("route add default dev wwan7 metric 900")
      try #require(snapshot().best?.link == "v0")
      try network.ip("link set v0 down")
      try network.waitForEvent()
      try #require(snapshot().routes.map(\.link) == ["wwan7"])
      try #require(snapshot().expense(at: .now, reader)?.value == true)

      try network.ip("route del default dev wwan7")
      try network.waitForEvent()
      try #require(!snapshot().availability(at: .now).value)
    }
  }

  @Test func `several next hops and IPv6 are ways out, unreachable defaults are not`() async throws
  {
    try await PrivateNetwork.run { network in
      func links() throws -> [String] {
        try #require(NetworkSnapshot.fromKernel()).routes.map(\.link).sorted()
      }
      try network.cable("d0")
      try network.cable("d1")
      try network.ip("route add unreachable default metric 4000")
      try #require(links().isEmpty)
      try network.ip("route add default nexthop dev d0 nexthop dev d1")
      try #require(links() == ["d0", "d1"])
      try network.ip("route del default")
      guard FileManager.default.fileExists(atPath: "/proc/net/if_inet6") else { return }
      try network.ip("-6 route add default dev d1 metric 77")
      let snapshot = try #require(NetworkSnapshot.fromKernel())
      try #require(
        snapshot.best == DefaultRoute(link: "d1", isIPv6: true, metric: 77, isUsable: true))
    }
  }

  @Test func `a pulled cable counts, whatever NetworkManager says`() async throws {
    let services = try await DeviceServices()
    let manager = try await services.start(
      NetworkManager.object, "{'Metered': dbus.UInt32(3), 'Connectivity': dbus.UInt32(4)}")
    var roots = DeviceRoots(system: "/nowhere")
    roots.systemBus = services.bus.address
    try await PrivateNetwork.run { [roots] network in
      try network.cable("v0")
      try network.ip("route add default dev v0")
      let signals = DeviceSignals(
        roots: roots, serverReach: .network, routes: try network.routeSource())
      let changes = signals.start()
      defer { signals.stop() }
      try network.waitUntil { signals.latest.expensive?.cause == "metered" }
      try network.waitUntil { signals.latest.network?.value == true }
      try network.ip("link set v0-end down")
      try network.waitUntil { signals.latest.network?.value == false }
      try #require(signals.says("NetworkManager", .network) == "on")
      try #require(signals.taken(.network) == "netlink")
      try #require(signals.polls.isEmpty)
      _ = changes
    }
    _ = manager
  }

  @Test func `a pulled cable and its return are told within a second`() async throws {
    try await PrivateNetwork.run { network in
      try network.cable("v0")
      try network.ip("route add default dev v0")
      let signals = DeviceSignals(
        roots: DeviceRoots(system: "/nowhere"), serverReach: .network,
        routes: try network.routeSource())
      let changes = signals.start()
      defer { signals.stop() }
      try network.waitUntil { signals.latest.network?.value == true }

      for (command, isAvailable) in [("down", false), ("up", true)] {
        let start = ContinuousClock.now
        try network.ip("link set v0-end \(command)")
        try network.waitUntil { signals.latest.network?.value == isAvailable }
        // A second, and some room for a busy machine.
        try #require(ContinuousClock.now - start < .seconds(2))
      }
      try #require(signals.latest.network?.source == "netlink")
      _ = changes
    }
  }
}

/// A thread in a network namespace of its own, which ends with it.
struct PrivateNetwork {
  private let listener: Int32

  static var isAllowed: Bool {
    geteuid() == 0 && ipPath != nil && canUnshare
  }

  private static let ipPath: String? = {
    let places: [String] = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"]
    return places.first { access($0, X_OK) == 0 }
  }()

  /// Gives the calling thread a network of its own, or the one of a descriptor. Neither function is
  /// imported from Glibc into Swift.
  private static func unshareNetwork() -> Bool {
    typealias Unshare = @convention(c) (Int32) -> Int32
    guard let symbol = dlsym(nil, "unshare") else { return false }
    return unsafeBitCast(symbol, to: Unshare.self)(newNetwork) == 0
  }

  private static func enterNetwork(_ descriptor: Int32) -> Bool {
    typealias SetNamespace = @convention(c) (Int32, Int32) -> Int32
    guard let symbol = dlsym(nil, "setns") else { return false }
    return unsafeBitCast(symbol, to: SetNamespace.self)(descriptor, newNetwork) == 0
  }

  private static let newNetwork: Int32 = 0x4000_0000

  /// Tried on a thread that ends at once.
  private static let canUnshare: Bool = {
    let result = Mutex(false)
    let ended = DispatchSemaphore(value: 0)
    Thread {
      result.withLock { $0 = unshareNetwork() }
      ended.signal()
    }.start()
    ended.wait()
    return result.withLock { $0 }
  }()

  static func run(_ body: @escaping @Sendable (PrivateNetwork) throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
      Thread {
        do {
          guard unshareNetwork() else { throw NotAllowed() }
          let listener = rally_netlink_listen()
          guard listener >= 0 else { throw NotAllowed() }
          defer { close(listener) }
          try body(PrivateNetwork(listener: listener))
          ended.resume()
        } catch {
          ended.resume(throwing: error)
        }
      }.start()
    }
  }

  /// The routes of this network, for whoever asks from another thread.
  func routeSource() throws -> RouteSource {
    let namespace = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
    let listener = rally_netlink_listen()
    guard namespace >= 0, listener >= 0 else { throw NotAllowed() }
    return RouteSource(
      listen: { listener },
      snapshot: {
        let snapshot = Mutex<NetworkSnapshot?>(nil)
        let ended = DispatchSemaphore(value: 0)
        Thread {
          if PrivateNetwork.enterNetwork(namespace) {
            snapshot.withLock { $0 = .fromKernel() }
          }
          ended.signal()
        }.start()
        ended.wait()
        return snapshot.withLock { $0 }
      })
  }

  func ip(_ arguments: String) throws {
    let words = ["ip"] + arguments.split(separator: " ").map(String.init)
    var pointers = words.map { strdup($0) } + [nil]
    defer { pointers.forEach { free($0) } }
    var child: pid_t = 0
    var status: Int32 = -1
    // Spawned from this very thread, so that it lives in the same network.
    guard posix_spawn(&child, PrivateNetwork.ipPath ?? "", nil, nil, &pointers, environ) == 0,
      waitpid(child, &status, 0) == child, status == 0
    else { throw Failed(command: arguments) }
  }

  /// A link that is up and carries, with an unnamed other end.
  func cable(_ link: String) throws {
    try ip("link add \(link) type veth peer name \(link)-end")
    try ip("link set \(link) up")
    try ip("link set \(link)-end up")
  }

  /// Waits until the kernel tells of a change, and takes what it told.
  func waitForEvent() throws {
    var request = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, 5000) == 1, rally_netlink_drain(listener) == 1 else {
      throw Failed(command: "wait for news")
    }
    guard rally_netlink_drain(listener) >= 0 else { throw Failed(command: "drain") }
  }

  func waitUntil(_ condition: () throws -> Bool) throws {
    let patience = ContinuousClock.now + PollingBackoff.limit
    while try !condition() {
      guard ContinuousClock.now < patience else { throw Failed(command: "wait") }
      usleep(5000)
    }
  }

  private struct NotAllowed: Error {}
  private struct Failed: Error { let command: String }
}
