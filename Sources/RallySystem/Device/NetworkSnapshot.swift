import CNetlink
import Glibc
import RallyWire

/// The default routes of this machine at one moment.
struct NetworkSnapshot: Equatable {
  var routes: [DefaultRoute]
  /// Where the routes were read: `netlink` or `route table`.
  var source: String

  /// The usable route with the lowest metric, IPv4 first; nil if there is none.
  var best: DefaultRoute? {
    routes.filter(\.isUsable).min {
      ($0.metric, $0.isIPv6 ? 1 : 0) < ($1.metric, $1.isIPv6 ? 1 : 0)
    }
  }

  /// Whether there is a usable default route. A route alone is not enough: the kernel keeps it when
  /// the cable is unplugged.
  func availability(at now: WireTime) -> SignalReading<Bool> {
    let detail =
      best.map { "default route by \($0.link)" }
      ?? routes.first.map { "\($0.link) does not carry" } ?? "no default route"
    return SignalReading(best != nil, source: source, detail: detail, readAt: now)
  }

  /// Whether the connection is metered, guessed from the type of its link; nil without a usable
  /// route.
  func expense(at now: WireTime, _ reader: AttributeReader) -> SignalReading<Bool>? {
    guard let link = best?.link else { return nil }
    let isMobile =
      link.hasPrefix("wwan") || link.hasPrefix("ppp")
      || (reader.text("class/net/\(link)/uevent") ?? "")
        .split(separator: "\n").contains("DEVTYPE=wwan")
    return SignalReading(
      isMobile, source: "kind of link", cause: isMobile ? "metered" : nil,
      detail: isMobile ? "\(link) is mobile" : link, readAt: now)
  }
}

/// A default route and its network interface.
struct DefaultRoute: Equatable {
  var link: String
  var isIPv6 = false
  /// Lower is preferred.
  var metric: UInt32 = 0
  /// Whether packets can be sent: the route is alive, and its link is up and has a carrier.
  var isUsable: Bool
}

/// How routes are read, and how changes of them are observed.
struct RouteSource: Sendable {
  /// Opens a socket that becomes readable when links or routes change; negative if that is not
  /// permitted.
  var listen: @Sendable () -> Int32
  /// The current routes; nil if netlink is not available.
  var snapshot: @Sendable () -> NetworkSnapshot?

  static let kernel = RouteSource(
    listen: { rally_netlink_listen() }, snapshot: { NetworkSnapshot.fromKernel() })
  /// Only the files of procfs and sysfs.
  static let files = RouteSource(listen: { -1 }, snapshot: { nil })
}

extension NetworkSnapshot {
  /// Reads the routes over netlink; nil if it is not permitted.
  static func fromKernel() -> NetworkSnapshot? {
    let capacity = 64
    var count: Int32 = 0
    let found = [rally_default_route](unsafeUninitializedCapacity: capacity) { buffer, used in
      buffer.initialize(repeating: rally_default_route())
      count = rally_netlink_default_routes(buffer.baseAddress, Int32(capacity))
      used = capacity
    }
    guard count >= 0 else { return nil }
    return NetworkSnapshot(
      routes: found.prefix(Int(count)).map(DefaultRoute.init), source: "netlink")
  }

  /// Reads `net/route` and `net/ipv6_route` of procfs, and the state of the links from sysfs.
  static func fromFiles(process: AttributeReader, system: AttributeReader) -> NetworkSnapshot {
    func isCarrying(_ link: String) -> Bool {
      // Tunnels and loopback report `unknown`.
      ["up", "unknown", nil].contains(system.text("class/net/\(link)/operstate"))
    }
    let isUp: (Substring) -> Bool = { (UInt32($0, radix: 16) ?? 0) & 1 != 0 }
    var routes: [DefaultRoute] = []
    for line in (process.text("net/route") ?? "").split(separator: "\n").dropFirst() {
      let fields = line.split(whereSeparator: \.isWhitespace)
      guard fields.count >= 8, fields[1] == "00000000", fields[7] == "00000000" else { continue }
      let link = String(fields[0])
      routes.append(
        DefaultRoute(
          link: link, metric: UInt32(fields[6]) ?? 0,
          isUsable: isUp(fields[3]) && isCarrying(link)))
    }
    for line in (process.text("net/ipv6_route") ?? "").split(separator: "\n") {
      let fields = line.split(whereSeparator: \.isWhitespace)
      // An unreachable default route is listed with the loopback interface.
      guard fields.count >= 10, fields[1] == "00", fields[0].allSatisfy({ $0 == "0" }),
        fields[9] != "lo"
      else { continue }
      let link = String(fields[9])
      routes.append(
        DefaultRoute(
          link: link, isIPv6: true, metric: UInt32(fields[5], radix: 16) ?? 0,
          isUsable: isUp(fields[8]) && isCarrying(link)))
    }
    return NetworkSnapshot(routes: routes, source: "route table")
  }
}

extension DefaultRoute {
  /// Constants from linux/if.h and linux/rtnetlink.h.
  private enum Flag {
    static let up: UInt32 = 0x1
    static let running: UInt32 = 0x40
    static let dead: UInt32 = 0x1
    static let linkDown: UInt32 = 0x10
    static let stateUnknown: UInt8 = 0
    static let stateUp: UInt8 = 6
  }

  fileprivate init(_ route: rally_default_route) {
    link = withUnsafeBytes(of: route.link) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    isIPv6 = Int32(route.family) == AF_INET6
    metric = route.metric
    let isCarrying =
      route.link_flags & Flag.running != 0
      || [Flag.stateUnknown, Flag.stateUp].contains(route.operstate)
    isUsable =
      route.route_flags & (Flag.dead | Flag.linkDown) == 0
      && route.link_flags & Flag.up != 0 && isCarrying
  }
}

/// NetworkManager's view of the connection that the default route uses.
struct NetworkManager {
  static let object = BusObject(
    service: "org.freedesktop.NetworkManager", path: "/org/freedesktop/NetworkManager",
    interface: "org.freedesktop.NetworkManager")
  static let name = "NetworkManager"

  /// Values of `NMMetered`.
  private enum Metered {
    static let unknown: Int64 = 0
    static let yes: Int64 = 1
    static let guessYes: Int64 = 3
    static let all: ClosedRange<Int64> = 0...4
    static let words = [
      "unknown", "metered", "not metered", "guessed metered", "guessed not metered",
    ]
  }

  private static let connectivity = ["not known", "none", "captive portal", "limited", "full"]

  let bus: [BusObject: BusAnswer]

  /// Whether the connection is metered, also if that is a guess.
  var expensive: SignalOffer<Bool> {
    metered { $0 == Metered.yes || $0 == Metered.guessYes ? "metered" : nil }
  }

  /// Whether somebody set the connection to metered. A guess is not enough.
  var lowData: SignalOffer<Bool> { metered { $0 == Metered.yes ? "low data" : nil } }

  /// Whether the connection leads anywhere. A captive portal and a limited connection count: the
  /// server may be on this side of them.
  var network: SignalOffer<Bool> {
    SignalOffer(Self.name, bus[Self.object]) { values throws(UnusableAnswer) in
      let state = try values.number("Connectivity", in: 0...4)
      guard state != 0 else { throw UnusableAnswer(reason: Self.connectivity[0]) }
      return SignalReading(
        state != 1, source: Self.name, detail: Self.connectivity[Int(state)],
        readAt: values.readAt)
    }
  }

  private func metered(_ cause: (Int64) -> String?) -> SignalOffer<Bool> {
    SignalOffer(Self.name, bus[Self.object]) { values throws(UnusableAnswer) in
      let metered = try values.number("Metered", in: Metered.all)
      guard metered != Metered.unknown else { throw UnusableAnswer(reason: Metered.words[0]) }
      let kind = try? values.text("PrimaryConnectionType")
      return SignalReading(
        cause(metered) != nil, source: Self.name, cause: cause(metered),
        detail: [Metered.words[Int(metered)], kind].compactMap(\.self).filter { !$0.isEmpty }
          .joined(separator: ", "),
        readAt: values.readAt)
    }
  }
}

/// The desktop portal's network monitor, for programs in a sandbox.
struct PortalNetwork {
  static let object = BusObject(
    service: "org.freedesktop.portal.Desktop", path: "/org/freedesktop/portal/desktop",
    interface: "org.freedesktop.portal.NetworkMonitor", method: "GetStatus")
  private static let name = "portal"

  let bus: [BusObject: BusAnswer]

  var expensive: SignalOffer<Bool> { flag("metered", cause: "metered") }
  var network: SignalOffer<Bool> { flag("available", cause: nil) }

  private func flag(_ key: String, cause: String?) -> SignalOffer<Bool> {
    SignalOffer(Self.name, bus[Self.object]) { values throws(UnusableAnswer) in
      let isOn = try values.flag(key)
      return SignalReading(
        isOn, source: Self.name, cause: isOn ? cause : nil, readAt: values.readAt)
    }
  }
}
