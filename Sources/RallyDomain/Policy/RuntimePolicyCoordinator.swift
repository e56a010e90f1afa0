import Logging
import Observation
import RallyEnvironment
import RallySystem
import RallyWire

/// Boils the device's constraints down to one policy that every feature obeys.
///
/// `critical` if the device is seriously hot; else `constrained` if it saves power or data; else
/// `normal`. An expensive network alone does not constrain.
@MainActor
@Observable
public final class RuntimePolicyCoordinator {
  public enum PolicyLevel: String, Sendable, CaseIterable {
    case normal, constrained, critical
  }

  public var isLowPowerModeEnabled = false
  public var thermalState = ThermalState.nominal
  public var isLowDataModeEnabled = false
  public var isExpensiveNetwork = false
  public var isNetworkAvailable = true

  /// What the person decided about signals; it wins over the device from the moment it is set.
  public var overrides: PolicyOverrides {
    didSet { applySignals() }
  }

  public var policyLevel: PolicyLevel {
    if thermalState >= .serious { return .critical }
    if isLowPowerModeEnabled || isLowDataModeEnabled { return .constrained }
    return .normal
  }

  public var shouldEnableSocialRealtime: Bool { policyLevel == .normal && isNetworkAvailable }

  public var shouldEnableMapRealtime: Bool { policyLevel == .normal && isNetworkAvailable }

  /// The pace of the map's sync, and of the social lists while realtime is off.
  public var mapSyncInterval: Duration {
    switch policyLevel {
    case .normal: isExpensiveNetwork ? .seconds(25) : .seconds(15)
    case .constrained: .seconds(45)
    case .critical: .seconds(60)
    }
  }

  /// How often sources measure where this device is: as often as they do at the normal level, else at
  /// the pace of the map.
  public var locationPace: LocationPace {
    policyLevel == .normal ? .continuous : .every(mapSyncInterval)
  }

  /// Whether what is new may move for a moment.
  public var allowsMotion: Bool { policyLevel == .normal }

  /// Whether maps may paint areas, which costs more cells a frame.
  public var allowsPaintedAreas: Bool { policyLevel == .normal }

  /// Level, cause and effect, for the status bar.
  public var policySentence: PolicySentence {
    PolicySentence(level: policyLevel, causes: causes, interval: mapSyncInterval)
  }

  /// Why the level is not normal, the weightiest first.
  private var causes: [String] {
    switch policyLevel {
    case .normal: []
    case .critical: [overrides.thermal == nil ? readings.thermal?.cause ?? "heat" : "heat"]
    case .constrained:
      [
        isLowPowerModeEnabled
          ? (overrides.lowPower == nil ? readings.lowPower?.cause : nil) ?? "low power" : nil,
        isLowDataModeEnabled ? "low data" : nil,
      ].compactMap(\.self)
    }
  }

  private var readings = DeviceReadings()
  @ObservationIgnored private var deviceSignals: DeviceSignals?
  @ObservationIgnored private var observation: Task<Void, Never>?
  @ObservationIgnored private let log = RallyLog.logger("RuntimePolicy")

  public init(overrides: PolicyOverrides = PolicyOverrides()) {
    self.overrides = overrides
    applySignals()
  }

  deinit {
    observation?.cancel()
    deviceSignals?.stop()
  }

  /// Follows the device from now on.
  ///
  /// - What: Starts the signals and takes every change of theirs.
  /// - How: One task waits for news; between two changes nothing runs on the main actor.
  /// - Why: The policy must change when the device does, without anybody asking.
  /// - Service Calls: `DeviceSignals.start`
  public func start(_ deviceSignals: DeviceSignals) {
    stop()
    self.deviceSignals = deviceSignals
    let changes = deviceSignals.start()
    observation = Task { [weak self] in
      for await readings in changes { self?.receive(readings) }
    }
  }

  /// Stops following the device; what is known stays.
  ///
  /// - What: Ends what `start` began.
  /// - How: Cancels the task and stops the signals.
  /// - Why: A closed session must leave no watcher behind.
  /// - Service Calls: `DeviceSignals.stop`
  public func stop() {
    observation?.cancel()
    observation = nil
    deviceSignals?.stop()
    deviceSignals = nil
  }

  /// Takes what the device says now.
  ///
  /// - What: The signals are those of the device, as far as nobody set them.
  /// - How: Writes only what differs.
  /// - Why: The policy follows the device without anybody asking.
  /// - Service Calls: None
  public func receive(_ readings: DeviceReadings) {
    self.readings = readings
    applySignals()
  }

  /// Carries out the words after `:policy`, such as `thermal serious` or `auto`.
  ///
  /// - What: Sets one signal, or lets every signal follow the device again.
  /// - How: `auto` alone clears all overrides; else a signal's name and one of its settings.
  /// - Why: Over SSH the host's battery and network are not the person's.
  /// - Service Calls: None
  /// - Throws: `PolicyOverrideProblem`, which says what can be typed.
  public func override(_ words: [String]) throws(PolicyOverrideProblem) {
    if words == ["auto"] {
      overrides = PolicyOverrides()
      return
    }
    guard let name = words.first, let signal = PolicySignal(rawValue: name) else {
      let names = PolicySignal.allCases.map(\.name).joined(separator: ", ")
      throw PolicyOverrideProblem(advice: "Name a signal (\(names)) and a setting, or auto.")
    }
    guard words.count <= 2 else {
      throw PolicyOverrideProblem(advice: "Set one signal at a time: \(name) and a setting.")
    }
    var changed = overrides
    try changed.set(signal, to: words.count == 2 ? words[1] : "")
    overrides = changed
  }

  /// Every signal with its value, source, age and override, for `:policy` and `rally doctor`.
  public func signalReport(at now: WireTime = .now) -> [SignalReport] {
    let sensed = deviceSignals?.latest ?? readings
    func flag(_ value: Bool) -> String { value ? "on" : "off" }
    func line<Value>(
      _ signal: PolicySignal, _ value: String, _ reading: SignalReading<Value>?,
      _ word: (Value) -> String
    ) -> SignalReport {
      let isSet = overrides.setting(of: signal) != nil
      return SignalReport(
        signal: signal, value: value,
        source: isSet ? "set by you" : reading?.source ?? "no source, assumed",
        age: reading.map { max(.zero, now.since($0.readAt)) },
        override: overrides.setting(of: signal),
        sensed: reading.map { word($0.value) }, detail: reading?.detail,
        providers: sensed.providers[signal] ?? [])
    }
    return [
      line(.lowPower, flag(isLowPowerModeEnabled), sensed.lowPower, flag),
      line(.thermal, thermalState.name, sensed.thermal, \.name),
      line(.lowData, flag(isLowDataModeEnabled), sensed.lowData, flag),
      line(.expensive, flag(isExpensiveNetwork), sensed.expensive, flag),
      line(.network, flag(isNetworkAvailable), sensed.network, flag),
    ]
  }

  /// Takes signals over as overrides and device say, and logs a change of the level.
  private func applySignals() {
    let before = policyLevel
    writeSignals()
    if policyLevel != before { log.info("level — \(policySentence.text)") }
  }

  /// Writes only what differs, since every write wakes those who watch the policy.
  private func writeSignals() {
    func write<Value: Equatable>(
      _ keyPath: ReferenceWritableKeyPath<RuntimePolicyCoordinator, Value>, _ value: Value
    ) {
      if self[keyPath: keyPath] != value { self[keyPath: keyPath] = value }
    }
    write(\.isLowPowerModeEnabled, overrides.lowPower ?? readings.lowPower?.value ?? false)
    write(\.thermalState, overrides.thermal ?? readings.thermal?.value ?? .nominal)
    write(\.isLowDataModeEnabled, overrides.lowData ?? readings.lowData?.value ?? false)
    write(\.isExpensiveNetwork, overrides.expensive ?? readings.expensive?.value ?? false)
    write(\.isNetworkAvailable, overrides.network ?? readings.network?.value ?? true)
  }
}

/// The policy as the status bar says it: `▲ CONSTRAINED battery 12% · every 45s`.
public struct PolicySentence: Hashable, Sendable {
  /// State for those who see shapes rather than colours.
  public let glyph: String
  public let word: String
  /// Nil at the normal level.
  public let cause: String?
  /// Nil at the normal level.
  public let effect: String?

  init(level: RuntimePolicyCoordinator.PolicyLevel, causes: [String], interval: Duration) {
    word = level.rawValue.uppercased()
    switch level {
    case .normal: glyph = "●"
    case .constrained: glyph = "▲"
    case .critical: glyph = "■"
    }
    cause = causes.isEmpty ? nil : causes.joined(separator: ", ")
    effect = level == .normal ? nil : "every \(interval.components.seconds)s"
  }

  /// Glyph, word, cause and effect in one line.
  public var text: String {
    let reason = [cause, effect].compactMap(\.self).joined(separator: " · ")
    return [glyph, word, reason].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// The same in words alone, for a screen reader: `policy constrained, battery 12%, every 45s`.
  public var words: String {
    ["policy \(word.lowercased())", cause, effect].compactMap(\.self).joined(separator: ", ")
  }

  /// Glyph, word and effect, for a narrow terminal.
  public var shortText: String { [glyph, word, effect].compactMap(\.self).joined(separator: " ") }
}

extension RuntimePolicyCoordinator {
  /// Why nothing large is to be fetched now, as a sentence; nil if nothing is against it.
  public var downloadObstacle: String? {
    if !isNetworkAvailable { return "There is no network." }
    if isLowDataModeEnabled { return "You save data (policy low-data)." }
    if isExpensiveNetwork { return "This network costs (policy expensive)." }
    return nil
  }
}

// MARK: - Environment

private struct RuntimePolicyCoordinatorKey: EnvironmentKey {
  /// A fallback that follows no device.
  @MainActor static let defaultValue = RuntimePolicyCoordinator()
}

extension EnvironmentValues {
  public var runtimePolicyCoordinator: RuntimePolicyCoordinator {
    get { self[RuntimePolicyCoordinatorKey.self] }
    set { self[RuntimePolicyCoordinatorKey.self] = newValue }
  }
}
