import Foundation
import Testing

@testable import RallySystem

struct ThermalSampleTests {
  private func zone(
    _ temperature: Int, _ trips: [(ThermalZone.Trip, Int)], type: String = "acpitz"
  ) -> ThermalZone {
    ThermalZone(
      type: type, temperature: temperature, trips: trips.map { (trip: $0.0, temperature: $0.1) })
  }

  @Test(arguments: [
    (69_000, ThermalState.nominal), (70_000, .fair), (79_999, .fair), (80_000, .serious),
    (94_999, .serious), (95_000, .critical),
  ])
  func `a passive threshold is serious and a hot one critical`(
    _ temperature: Int, _ expected: ThermalState
  ) {
    let trips: [(ThermalZone.Trip, Int)] = [
      (.critical, 105_000), (.passive, 80_000), (.hot, 95_000),
    ]
    #expect(zone(temperature, trips).state(slack: 0) == expected)
  }

  @Test(arguments: [
    (79_999, ThermalState.nominal), (80_000, .fair), (90_000, .serious), (95_000, .critical),
  ])
  func `a critical threshold alone gives the steps below it`(
    _ temperature: Int, _ expected: ThermalState
  ) {
    #expect(zone(temperature, [(.critical, 100_000)]).state(slack: 0) == expected)
  }

  @Test func `thresholds that no device can have are ignored`() {
    let garbage: [(ThermalZone.Trip, Int)] = [
      (.critical, 0), (.hot, -273_250), (.passive, -32_768_000), (.critical, 255_000),
    ]
    #expect(zone(60_000, garbage).limits == nil)
    let mixed = garbage + [(.critical, 100_000)]
    #expect(zone(60_000, mixed).state(slack: 0) == .nominal)
    #expect(zone(96_000, mixed).state(slack: 0) == .critical)
  }

  @Test func `the lowest of several thresholds counts whatever their order`() {
    let trips: [(ThermalZone.Trip, Int)] = [
      (.passive, 90_000), (.critical, 110_000), (.passive, 75_000),
    ]
    #expect(zone(75_000, trips).state(slack: 0) == .serious)
  }

  @Test func `a processor's zone without thresholds has usual ones and any other has none`() {
    #expect(zone(86_000, [], type: "x86_pkg_temp").state(slack: 0) == .serious)
    #expect(zone(96_000, [], type: "coretemp").state(slack: 0) == .critical)
    #expect(zone(96_000, [], type: "iwlwifi_1").limits == nil)
    #expect(zone(96_000, [], type: "iwlwifi_1").state(slack: 0) == .nominal)
  }

  @Test(arguments: [
    ("Processor", 0, 10, ThermalState.nominal), ("Processor", 1, 10, .fair),
    ("thermal-cpufreq-0", 5, 10, .serious), ("cpufreq-cpu0", 4, 10, .fair),
    ("intel_powerclamp", -1, 50, .nominal),
  ])
  func `a slowed processor counts by how far it is slowed`(
    _ type: String, _ current: Int, _ maximum: Int, _ expected: ThermalState
  ) {
    #expect(ThermalCooler(type: type, current: current, maximum: maximum)?.state == expected)
  }

  @Test(arguments: ["Fan", "iwlwifi_1", "LCD"])
  func `fans and screens say nothing about heat`(_ type: String) {
    #expect(ThermalCooler(type: type, current: 3, maximum: 3) == nil)
  }

  // MARK: - Reading

  @Test func `a device without a thermal folder gives nothing to go by`() {
    #expect(!ThermalSample(reading: FakeDevice().system).isUsable)
  }

  @Test func `zones that are off, silent, empty or unbelievable are left out`() {
    let device = FakeDevice()
    let trips = [(type: "critical", temperature: 100_000)]
    device.zone(0, type: "acpitz", temperature: 99_000, trips: trips)
    device.write("class/thermal/thermal_zone0/mode", "disabled")
    // A folder in place of the file fails like a sensor that is asleep.
    device.zone(1, type: "nvme", temperature: 99_000, trips: trips)
    device.remove("class/thermal/thermal_zone1/temp")
    device.makeFolder("class/thermal/thermal_zone1/temp")
    device.zone(2, type: "acpitz", temperature: 200_000, trips: trips)
    device.zone(3, type: "acpitz", temperature: 0, trips: trips)
    device.zone(4, type: "acpitz", temperature: 99_000, trips: trips)
    device.write("class/thermal/thermal_zone4/temp", "")
    #expect(ThermalSample(reading: device.system).zones.isEmpty)
  }

  @Test func `an active threshold only turns the fan on`() {
    let device = FakeDevice()
    device.zone(
      0, type: "acpitz", temperature: 65_000,
      trips: [(type: "active", temperature: 50_000), (type: "critical", temperature: 105_000)])
    #expect(ThermalSample(reading: device.system).state() == .nominal)
  }

  @Test func `the worst of all zones and coolers counts, through links too`() throws {
    let device = FakeDevice()
    device.zone(
      0, type: "acpitz", temperature: 40_000, trips: [(type: "critical", temperature: 100_000)])
    device.write("class/thermal/cooling_device0/type", "Processor")
    device.write("class/thermal/cooling_device0/cur_state", "1")
    device.write("class/thermal/cooling_device0/max_state", "10")
    #expect(ThermalSample(reading: device.system).state() == .fair)

    device.write("devices/virtual/thermal/thermal_zone1/type", "x86_pkg_temp")
    device.write("devices/virtual/thermal/thermal_zone1/temp", "91000")
    try FileManager.default.createSymbolicLink(
      atPath: device.folder.appending(path: "sys/class/thermal/thermal_zone1").path,
      withDestinationPath: "../../devices/virtual/thermal/thermal_zone1")
    let sample = ThermalSample(reading: device.system)
    #expect(sample.state() == .serious)
    #expect(sample.detail == "x86_pkg_temp 91 °C")
  }
}
