/// A reading of the kernel's thermal framework.
///
/// The states follow the kernel's own thresholds, not fixed temperatures: at a passive trip point
/// the kernel throttles, which is `serious`. Near a critical one it is about to power off.
struct ThermalSample: Equatable {
  var zones: [ThermalZone] = []
  var coolers: [ThermalCooler] = []

  /// Whether any zone has thresholds, or any cooling device is known.
  var isUsable: Bool { zones.contains { $0.limits != nil } || !coolers.isEmpty }

  /// The worst state of all zones and cooling devices.
  ///
  /// - Parameter slack: Lowers every threshold by this many thousandths of a degree.
  func state(slack: Int = 0) -> ThermalState {
    let hot = zones.map { $0.state(slack: slack) }.max() ?? .nominal
    let slowed = coolers.map(\.state).max() ?? .nominal
    return max(hot, slowed)
  }

  /// The zone in the worst state, the hottest if several, with its temperature: `cpu-thermal 91
  /// °C`.
  var detail: String? {
    let worst = zones.filter { $0.limits != nil }.max { a, b in
      (a.state(slack: 0), a.temperature) < (b.state(slack: 0), b.temperature)
    }
    return worst.map { "\($0.type) \($0.temperature / 1000) °C" }
  }
}

/// One thermal zone; temperatures in thousandths of a degree Celsius.
struct ThermalZone: Equatable {
  enum Trip: String { case critical, hot, passive }

  struct Limits: Equatable {
    var fair: Int
    var serious: Int
    var critical: Int?
  }

  var type: String
  var temperature: Int
  /// From the lowest plausible threshold of each kind; nil if the zone has none.
  let limits: Limits?

  init(type: String, temperature: Int, trips: [(trip: Trip, temperature: Int)]) {
    self.type = type
    self.temperature = temperature
    limits = ThermalZone.limits(type: type, trips: trips)
  }

  /// Real devices report thresholds of 0, −273.25 °C and worse; those are ignored.
  private static let believableTrips = 20_000...130_000
  private static let believableTemperatures = 1..<150_000
  /// Processor zones that may have no thresholds; default ones are used.
  private static let processorZones: Set = [
    "x86_pkg_temp", "cpu-thermal", "cpu_thermal", "soc-thermal", "k10temp", "coretemp",
  ]

  static func isBelievable(temperature: Int) -> Bool {
    believableTemperatures.contains(temperature)
  }

  private static func limits(type: String, trips: [(trip: Trip, temperature: Int)]) -> Limits? {
    func lowest(_ kind: Trip) -> Int? {
      trips.filter { $0.trip == kind && believableTrips.contains($0.temperature) }
        .map(\.temperature).min()
    }
    var critical = lowest(.critical)
    var hot = lowest(.hot)
    var passive = lowest(.passive)
    if critical == nil && hot == nil && passive == nil {
      guard processorZones.contains(type) else { return nil }
      (passive, hot, critical) = (85_000, 95_000, 100_000)
    }
    hot = hot ?? critical.map { $0 - 5000 }
    critical = critical ?? hot.map { $0 + 5000 }
    if let passive { return Limits(fair: passive - 10_000, serious: passive, critical: hot) }
    guard let critical else { return nil }
    return Limits(fair: critical - 20_000, serious: critical - 10_000, critical: hot)
  }

  func state(slack: Int) -> ThermalState {
    guard let limits else { return .nominal }
    let warmth = temperature + slack
    if let critical = limits.critical, warmth >= critical { return .critical }
    if warmth >= limits.serious { return .serious }
    return warmth >= limits.fair ? .fair : .nominal
  }
}

/// A cooling device that throttles the processor; fans say nothing about heat.
struct ThermalCooler: Equatable {
  var current: Int
  var maximum: Int

  /// Returns nil for a type that does not throttle the processor.
  init?(type: String, current: Int, maximum: Int) {
    // Since Linux 5.12, `thermal-cpufreq-0` is called `cpufreq-cpu0`.
    guard
      type == "Processor" || type == "intel_powerclamp" || type.hasPrefix("thermal-cpufreq-")
        || type.hasPrefix("cpufreq-")
    else { return nil }
    self.current = current
    self.maximum = maximum
  }

  var state: ThermalState {
    guard current > 0 else { return .nominal }
    return maximum > 0 && current * 2 >= maximum ? .serious : .fair
  }
}

extension ThermalSample {
  /// Reads `class/thermal`. Zones that are disabled or report no plausible temperature are left
  /// out.
  init(reading reader: AttributeReader) {
    for name in reader.names(in: "class/thermal") {
      let folder = "class/thermal/\(name)"
      if name.hasPrefix("thermal_zone") {
        if let zone = ThermalSample.zone(in: folder, reader) { zones.append(zone) }
      } else if name.hasPrefix("cooling_device"),
        let current = reader.number("\(folder)/cur_state"),
        let cooler = ThermalCooler(
          type: reader.text("\(folder)/type") ?? "", current: current,
          maximum: reader.number("\(folder)/max_state") ?? 0)
      {
        coolers.append(cooler)
      }
    }
  }

  private static func zone(in folder: String, _ reader: AttributeReader) -> ThermalZone? {
    guard reader.text("\(folder)/mode") != "disabled",
      let temperature = reader.number("\(folder)/temp"),
      ThermalZone.isBelievable(temperature: temperature)
    else { return nil }
    var trips: [(trip: ThermalZone.Trip, temperature: Int)] = []
    for file in reader.names(in: folder)
    where file.hasPrefix("trip_point_") && file.hasSuffix("_type") {
      if let kind = reader.text("\(folder)/\(file)").flatMap(ThermalZone.Trip.init),
        let limit = reader.number("\(folder)/\(file.dropLast(4))temp")
      {
        trips.append((kind, limit))
      }
    }
    return ThermalZone(
      type: reader.text("\(folder)/type") ?? "unknown", temperature: temperature, trips: trips)
  }
}

/// The thermal pressure, in the four levels of `ProcessInfo.ThermalState` on Apple platforms.
public enum ThermalState: Int, Sendable, Comparable, CaseIterable, Codable {
  case nominal, fair, serious, critical

  public static func < (a: ThermalState, b: ThermalState) -> Bool { a.rawValue < b.rawValue }

  /// The name in commands and in the interface.
  public var name: String {
    switch self {
    case .nominal: "nominal"
    case .fair: "fair"
    case .serious: "serious"
    case .critical: "critical"
    }
  }

  public init?(name: String) {
    guard let state = ThermalState.allCases.first(where: { $0.name == name }) else { return nil }
    self = state
  }
}

/// Hysteresis for the thermal state, so that it does not flicker.
///
/// It rises at once, but to `critical` only after two consecutive critical samples. It falls only
/// if all samples for ten seconds, at least two, are three degrees below the threshold.
struct ThermalHysteresis {
  private(set) var state = ThermalState.nominal
  private var wasCritical = false
  private var fall: Fall?

  private struct Fall {
    var since: ContinuousClock.Instant
    /// The worst state since then.
    var worst: ThermalState
  }

  private static let slack = 3000
  /// Slightly under ten seconds, since timers have leeway.
  private static let fallTime = Duration.milliseconds(9500)

  /// Updates the state with the next sample.
  ///
  /// - Parameter now: When the sample was taken; must not go backwards.
  mutating func judge(
    _ sample: ThermalSample, at now: ContinuousClock.Instant
  ) -> ThermalState {
    let raw = sample.state()
    let eased = sample.state(slack: ThermalHysteresis.slack)
    if raw > state {
      fall = nil
      state = raw == .critical && !wasCritical ? max(state, .serious) : raw
    } else if eased < state {
      let seen = fall.map { Fall(since: $0.since, worst: max($0.worst, eased)) }
      fall = seen ?? Fall(since: now, worst: eased)
      if let seen, now - seen.since >= ThermalHysteresis.fallTime {
        state = seen.worst
        fall = nil
      }
    } else {
      fall = nil
    }
    wasCritical = raw == .critical
    return state
  }
}
