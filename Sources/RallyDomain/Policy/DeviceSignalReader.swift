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

  init(roots: DeviceRoots, serverReach: ServerReach, routes: RouteSource) {
    system = AttributeReader(root: roots.system)
    process = AttributeReader(root: roots.process)
    power = PowerReader(reader: system)
    self.serverReach = serverReach
    self.routes = routes
  }

  var hasHeat: Bool { ThermalSample(reading: system).isUsable }
  var hasBattery: Bool { power.hasBattery }
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
    readings.thermal =
      sample.isUsable
      ? SignalReading(
        state, source: "thermal zones", cause: state >= .serious ? "heat" : nil,
        detail: sample.detail)
      : nil
  }

  mutating func lookAtPower() { readings.lowPower = power.look(at: .now) }

  mutating func lookAtNetwork() {
    guard needsNetwork else {
      readings.network = SignalReading(
        true, source: "this machine", detail: "the server runs here")
      readings.expensive = SignalReading(false, source: "this machine")
      return
    }
    let now = WireTime.now
    let snapshot = routes.snapshot() ?? .fromFiles(process: process, system: system)
    readings.network = snapshot.availability(at: now)
    readings.expensive = snapshot.expense(at: now, system)
  }
}
