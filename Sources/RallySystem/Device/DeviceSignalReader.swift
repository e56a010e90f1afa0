import RallyWire

/// Whether reaching the server needs a network.
public enum ServerReach: Sendable, Hashable {
  /// The server runs on this machine and is reachable without a network.
  case thisMachine
  /// The server is remote: a default route is needed whose link has a carrier.
  case network
}

/// Reads the device signals and keeps the state that the next reading needs (thermal hysteresis).
struct DeviceSignalReader {
  private let system: AttributeReader
  private let process: AttributeReader
  private let power: PowerReader
  private let serverReach: ServerReach
  private let routes: RouteSource
  private var thermal = ThermalHysteresis()
  private(set) var readings = DeviceReadings()
  private var bus: [BusObject: BusAnswer] = [:]
  private var zones: SignalReading<ThermalState>?

  init(roots: DeviceRoots, serverReach: ServerReach, routes: RouteSource) {
    system = AttributeReader(root: roots.system)
    process = AttributeReader(root: roots.process)
    power = PowerReader(reader: system)
    self.serverReach = serverReach
    self.routes = routes
  }

  var hasHeat: Bool { ThermalSample(reading: system).isUsable }
  /// Whether batteries must be polled: UPower reports their changes.
  var hasUnreportedBattery: Bool { UPower(bus: bus).lowPower.reading == nil && power.hasBattery }
  var hasProfile: Bool { power.hasProfile }
  var profilePath: String { "\(system.root)/\(PowerReader.profilePath)" }
  var needsNetwork: Bool { serverReach == .network }

  mutating func look(at now: ContinuousClock.Instant) {
    lookAtHeat(at: now)
    lookAtPower()
    lookAtNetwork()
  }

  mutating func lookAtHeat(at now: ContinuousClock.Instant) {
    let sample = ThermalSample(reading: system)
    let state = thermal.judge(sample, at: now)
    zones =
      sample.isUsable
      ? SignalReading(
        state, source: "thermal zones", cause: state >= .serious ? "heat" : nil,
        detail: sample.detail)
      : nil
    judgeHeat()
  }

  /// Takes over what the services say now.
  mutating func take(_ bus: [BusObject: BusAnswer], problem: BusProblem?) {
    self.bus = bus
    readings.busProblem = problem?.sentence
    judgeHeat()
    lookAtPower()
    lookAtNetwork()
  }

  /// Takes the worse of kernel and service, which measure different things.
  private mutating func judgeHeat() {
    let chain = SignalChain(
      offers: [SignalOffer("thermal zones", zones)] + PowerProfiles(bus: bus).thermal)
    let worst = chain.offers.compactMap { $0.reading?.value }.max()
    readings.thermal = chain.offers.lazy.compactMap { $0.reading }.first { $0.value == worst }
    readings.providers[.thermal] = chain.reports(taken: readings.thermal, \.name)
  }

  /// A profile is a wish and a battery is a state: either is enough. Each has its own providers,
  /// and of those the first with a value counts.
  mutating func lookAtPower() {
    let now = WireTime.now
    let profile = SignalChain(
      offers: PowerProfiles(bus: bus).lowPower
        + [SignalOffer("platform profile", power.profile(at: now))])
    let battery = SignalChain(
      offers: [UPower(bus: bus).lowPower, SignalOffer("battery", power.battery(at: now))])
    let found = [profile.first, battery.first].compactMap(\.self)
    let taken = found.first(where: \.value) ?? found.first
    readings.lowPower = taken
    readings.providers[.lowPower] =
      profile.reports(taken: taken, Self.word) + battery.reports(taken: taken, Self.word)
  }

  mutating func lookAtNetwork() {
    guard needsNetwork else {
      let here = "this machine"
      readings.network = SignalReading(true, source: here, detail: "the server runs here")
      readings.expensive = SignalReading(false, source: here)
      return
    }
    let now = WireTime.now
    let snapshot = routes.snapshot() ?? .fromFiles(process: process, system: system)
    let manager = NetworkManager(bus: bus)
    let portal = PortalNetwork(bus: bus)
    let isSandboxed = bus[PortalNetwork.object] != nil

    let network = SignalChain(
      offers: [SignalOffer("routes", snapshot.availability(at: now)), manager.network]
        + (isSandboxed ? [portal.network] : []))
    readings.network = network.first
    readings.providers[.network] = network.reports(taken: network.first, Self.word)

    let expensive = SignalChain(
      offers: [manager.expensive] + (isSandboxed ? [portal.expensive] : [])
        + [SignalOffer("kind of link", snapshot.expense(at: now, system))])
    readings.expensive = expensive.first
    readings.providers[.expensive] = expensive.reports(taken: expensive.first, Self.word)

    let lowData = SignalChain(offers: [manager.lowData])
    readings.lowData = lowData.first
    readings.providers[.lowData] = lowData.reports(taken: lowData.first, Self.word)
  }

  private static func word(_ value: Bool) -> String { value ? "on" : "off" }
}
