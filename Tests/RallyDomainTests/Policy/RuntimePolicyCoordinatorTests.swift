import Foundation
import Observation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

@MainActor
struct RuntimePolicyCoordinatorTests {
  // MARK: - Policy

  @Test
  func `every combination of the five signals gives what the rules say`() {
    var seen = 0
    for lowPower in [false, true] {
      for heat in ThermalState.allCases {
        for lowData in [false, true] {
          for expensive in [false, true] {
            for network in [false, true] {
              let coordinator = RuntimePolicyCoordinator()
              coordinator.isLowPowerModeEnabled = lowPower
              coordinator.thermalState = heat
              coordinator.isLowDataModeEnabled = lowData
              coordinator.isExpensiveNetwork = expensive
              coordinator.isNetworkAvailable = network

              let isHot = heat == .serious || heat == .critical
              let saves = lowPower || lowData
              let level: RuntimePolicyCoordinator.PolicyLevel =
                isHot ? .critical : saves ? .constrained : .normal
              let seconds = isHot ? 60 : saves ? 45 : expensive ? 25 : 15
              let comment: Comment =
                "power \(lowPower), \(heat), data \(lowData), cost \(expensive), net \(network)"
              #expect(coordinator.policyLevel == level, comment)
              #expect(coordinator.mapSyncInterval == .seconds(seconds), comment)
              let isRealtime = !isHot && !saves && network
              #expect(coordinator.shouldEnableSocialRealtime == isRealtime, comment)
              #expect(coordinator.shouldEnableMapRealtime == isRealtime, comment)
              let isNormal = level == .normal
              #expect(
                coordinator.locationPace == (isNormal ? .continuous : .every(.seconds(seconds))),
                comment)
              #expect(coordinator.allowsMotion == isNormal, comment)
              #expect(coordinator.allowsPaintedAreas == isNormal, comment)
              seen += 1
            }
          }
        }
      }
    }
    #expect(seen == 64)
  }

  @Test func `a device without sources is assumed to be unconstrained`() {
    let coordinator = RuntimePolicyCoordinator()
    coordinator.receive(DeviceReadings())
    #expect(coordinator.policyLevel == .normal)
    #expect(coordinator.shouldEnableSocialRealtime)
    #expect(coordinator.signalReport().allSatisfy { $0.source == "no source, assumed" })
  }

  // MARK: - Sentence

  @Test func `the normal level is said without cause or effect`() {
    #expect(RuntimePolicyCoordinator().policySentence.text == "● NORMAL")
  }

  @Test func `a low battery is said with its charge and the pace`() {
    let coordinator = RuntimePolicyCoordinator()
    var readings = DeviceReadings()
    readings.lowPower = SignalReading(true, source: "battery BAT0", cause: "battery 12%")
    coordinator.receive(readings)
    #expect(coordinator.policySentence.text == "▲ CONSTRAINED battery 12% · every 45s")
    #expect(coordinator.policySentence.shortText == "▲ CONSTRAINED every 45s")
  }

  @Test func `heat is said before what else constrains`() {
    let coordinator = RuntimePolicyCoordinator(overrides: PolicyOverrides(lowPower: true))
    coordinator.thermalState = .serious
    #expect(coordinator.policySentence.text == "■ CRITICAL heat · every 60s")
  }

  @Test func `two causes of the same level are both said`() {
    let coordinator = RuntimePolicyCoordinator(
      overrides: PolicyOverrides(lowPower: true, lowData: true))
    #expect(coordinator.policySentence.text == "▲ CONSTRAINED low power, low data · every 45s")
  }

  // MARK: - Overrides

  @Test func `what a person sets wins over the device until it is set to auto`() throws {
    let coordinator = RuntimePolicyCoordinator()
    var readings = DeviceReadings()
    readings.lowPower = SignalReading(true, source: "battery BAT0", cause: "battery 12%")
    coordinator.receive(readings)

    try coordinator.override(["low-power", "off"])
    #expect(coordinator.policyLevel == .normal)
    coordinator.receive(readings)
    #expect(coordinator.policyLevel == .normal)

    try coordinator.override(["low-power", "auto"])
    #expect(coordinator.policyLevel == .constrained)
  }

  @Test func `every signal can be set by its words and auto alone frees them all`() throws {
    let coordinator = RuntimePolicyCoordinator()
    for words in [
      ["low-power", "on"], ["thermal", "serious"], ["low-data", "on"], ["expensive", "on"],
      ["network", "off"],
    ] {
      try coordinator.override(words)
    }
    #expect(coordinator.isLowPowerModeEnabled)
    #expect(coordinator.thermalState == .serious)
    #expect(coordinator.isLowDataModeEnabled)
    #expect(coordinator.isExpensiveNetwork)
    #expect(!coordinator.isNetworkAvailable)
    #expect(coordinator.signalReport().map(\.override) == ["on", "serious", "on", "on", "off"])

    try coordinator.override(["auto"])
    #expect(coordinator.overrides == PolicyOverrides())
    #expect(coordinator.policyLevel == .normal)
    #expect(coordinator.isNetworkAvailable)
  }

  @Test func `words that mean nothing change nothing and say what to type instead`() throws {
    let coordinator = RuntimePolicyCoordinator(overrides: PolicyOverrides(lowPower: true))
    for words in [
      [], ["battery", "on"], ["low-power"], ["low-power", "maybe"], ["thermal", "on"],
      ["low-power", "on", "now"],
    ] {
      #expect(throws: PolicyOverrideProblem.self) { try coordinator.override(words) }
    }
    #expect(coordinator.overrides == PolicyOverrides(lowPower: true))
    do {
      try coordinator.override(["thermal", "hot"])
    } catch {
      #expect(
        error.advice
          == "Set thermal to auto, nominal, fair, serious or critical instead of “hot”.")
    }
  }

  // MARK: - Report

  @Test func `the report names value, source, age, override and what the device says beneath`() {
    let coordinator = RuntimePolicyCoordinator(overrides: PolicyOverrides(thermal: .nominal))
    var readings = DeviceReadings()
    let now = WireTime.now
    readings.thermal = SignalReading(
      .serious, source: "thermal zones", cause: "heat", detail: "x86_pkg_temp 91 °C",
      readAt: now.advanced(by: .seconds(-7)))
    readings.network = SignalReading(
      false, source: "netlink", readAt: now.advanced(by: .seconds(-1)))
    coordinator.receive(readings)

    let report = coordinator.signalReport(at: now)
    #expect(report.map(\.signal) == PolicySignal.allCases)
    let heat = report[1]
    #expect(heat.value == "nominal")
    #expect(heat.source == "set by you")
    #expect(heat.sensed == "serious")
    #expect(heat.age == .seconds(7))
    #expect(heat.detail == "x86_pkg_temp 91 °C")
    let network = report[4]
    #expect(network.value == "off")
    #expect(network.source == "netlink")
    #expect(network.override == nil)
  }

  @Test func `the report has a line of JSON with null for what is not there`() throws {
    let coordinator = RuntimePolicyCoordinator(overrides: PolicyOverrides(lowPower: true))
    let line = try WireJSON.decode(
      [String: JSONValue].self, from: WireJSON.encode(coordinator.signalReport()[0]))
    #expect(
      line == [
        "signal": "low-power", "value": "on", "source": "set by you", "override": "on",
        "age_seconds": .null, "sensed": .null, "detail": .null, "providers": [],
      ])
  }

  // MARK: - Following the device

  @Test func `what does not change wakes nobody`() {
    let coordinator = RuntimePolicyCoordinator()
    withObservationTracking {
      _ = coordinator.policyLevel
      _ = coordinator.shouldEnableSocialRealtime
      _ = coordinator.mapSyncInterval
    } onChange: {
      Issue.record("the policy is as it was")
    }
    var readings = DeviceReadings()
    readings.lowPower = SignalReading(false, source: "battery BAT0")
    readings.thermal = SignalReading(.nominal, source: "thermal zones")
    coordinator.receive(readings)
    coordinator.overrides = PolicyOverrides(lowData: false)
  }

  @Test func `a change of the device reaches the policy and stopping ends that`() async throws {
    let device = try TemporaryFolder()
    let battery = device.file("class/power_supply/BAT0")
    func write(_ name: String, _ text: String) throws {
      try Data("\(text)\n".utf8).write(to: URL(filePath: "\(battery)/\(name)"))
    }
    try FileManager.default.createDirectory(
      atPath: battery, withIntermediateDirectories: true)
    try write("type", "Battery")
    try write("status", "Discharging")
    try write("capacity", "55")
    let signals = DeviceSignals(
      roots: DeviceRoots(system: device.path, process: device.file("proc")),
      serverReach: .thisMachine, routes: .files)
    let coordinator = RuntimePolicyCoordinator()

    coordinator.start(signals)
    #expect(await eventually { coordinator.signalReport()[0].source == "battery BAT0" })
    #expect(coordinator.policyLevel == .normal)

    try write("capacity", "12")
    signals.look()
    #expect(await eventually { coordinator.policyLevel == .constrained })
    #expect(coordinator.policySentence.cause == "battery 12%")

    coordinator.stop()
    try write("capacity", "90")
    signals.look()
    #expect(coordinator.policyLevel == .constrained)
  }
}
