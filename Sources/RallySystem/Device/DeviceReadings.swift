import RallyWire

/// The current device signals; nil if the device has no source for one.
public struct DeviceReadings: Sendable, Equatable {
  public var lowPower: SignalReading<Bool>?
  public var thermal: SignalReading<ThermalState>?
  public var lowData: SignalReading<Bool>?
  public var expensive: SignalReading<Bool>?
  public var network: SignalReading<Bool>?
  /// What each provider of a signal says, in the order of preference.
  public var providers: [PolicySignal: [ProviderReport]] = [:]
  /// Why no service is asked, for the end of a sentence; nil if the system bus is there, or not
  /// looked for.
  public var busProblem: String?

  public init() {}

  /// Whether the readings are the same for an observer: times and details are not compared.
  func hasSameValues(as other: DeviceReadings) -> Bool {
    func same<Value>(_ a: SignalReading<Value>?, _ b: SignalReading<Value>?) -> Bool {
      a?.value == b?.value && a?.source == b?.source && a?.cause == b?.cause
    }
    return same(lowPower, other.lowPower) && same(thermal, other.thermal)
      && same(lowData, other.lowData) && same(expensive, other.expensive)
      && same(network, other.network)
  }
}

extension DeviceReadings: CustomStringConvertible {
  /// For the log: values and causes, `-` for a signal without a source.
  public var description: String {
    func word<Value>(_ name: String, _ reading: SignalReading<Value>?) -> String {
      guard let reading else { return "\(name): -" }
      return "\(name): \(reading.value)" + (reading.cause.map { " (\($0))" } ?? "")
    }
    return [
      word("low power", lowPower), word("thermal", thermal), word("low data", lowData),
      word("expensive", expensive), word("network", network),
    ].joined(separator: ", ")
  }
}

/// The value of one signal, as read from a source.
public struct SignalReading<Value: Sendable & Equatable>: Sendable, Equatable {
  public var value: Value
  /// Where it was read, such as `battery BAT0`.
  public var source: String
  /// Why it limits the app, short enough for the status bar: `battery 12%`.
  public var cause: String?
  /// The measurement, for reports: `cpu-thermal 91 °C`.
  public var detail: String?
  public var readAt: WireTime

  public init(
    _ value: Value, source: String, cause: String? = nil, detail: String? = nil,
    readAt: WireTime = .now
  ) {
    self.value = value
    self.source = source
    self.cause = cause
    self.detail = detail
    self.readAt = readAt
  }
}

/// The five signals that the runtime policy follows.
public enum PolicySignal: String, Sendable, CaseIterable, Codable {
  case lowPower = "low-power"
  case thermal
  case lowData = "low-data"
  case expensive
  case network

  /// The name in commands and in the interface.
  public var name: String { rawValue }

  /// The allowed settings, also for shell completion.
  public var settings: [String] {
    switch self {
    case .thermal: ["auto"] + ThermalState.allCases.map(\.name)
    case .lowPower, .lowData, .expensive, .network: ["auto", "on", "off"]
    }
  }
}

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

  /// A profile is a choice and a battery is a state: either is enough. Each has its own providers,
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
