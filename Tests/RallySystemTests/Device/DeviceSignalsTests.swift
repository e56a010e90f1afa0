import Foundation
import RallyWire
import Testing

@testable import RallySystem

struct DeviceSignalsTests {
  private let device = FakeDevice()

  private func discharging(_ capacity: Int) {
    device.write("class/power_supply/BAT0/type", "Battery")
    device.write("class/power_supply/BAT0/status", "Discharging")
    device.write("class/power_supply/BAT0/capacity", "\(capacity)")
  }

  @Test func `a machine without sources says so and assumes nothing`() {
    let readings = device.signals().look()
    #expect(readings.lowPower == nil)
    #expect(readings.thermal == nil)
    #expect(readings.lowData == nil)
  }

  @Test func `a server on this machine is reached whatever the network does`() {
    let readings = device.signals(serverReach: .thisMachine).look()
    #expect(readings.network?.value == true)
    #expect(readings.expensive?.value == false)
    #expect(device.signals(serverReach: .network).look().network?.value == false)
  }

  @Test func `a look sees what changed since the last`() {
    discharging(50)
    device.zone(
      0, type: "x86_pkg_temp", temperature: 40_000, trips: [(type: "passive", temperature: 85_000)])
    let signals = device.signals()
    #expect(signals.look().lowPower?.value == false)
    #expect(signals.latest.thermal?.value == .nominal)

    discharging(12)
    device.write("class/thermal/thermal_zone0/temp", "86000")
    let readings = signals.look()
    #expect(readings.lowPower?.value == true)
    #expect(readings.thermal?.value == .serious)
    #expect(readings.thermal?.cause == "heat")
    #expect(signals.latest == readings)
  }

  @Test func `the stream brings the first readings and then only changes`() async {
    discharging(50)
    device.zone(
      0, type: "x86_pkg_temp", temperature: 40_000, trips: [(type: "passive", temperature: 85_000)])
    let signals = device.signals()
    var readings = signals.start().makeAsyncIterator()
    #expect(await readings.next()?.lowPower?.value == false)

    // A degree more is not a change; a low battery is.
    device.write("class/thermal/thermal_zone0/temp", "41000")
    signals.look()
    discharging(12)
    signals.look()
    let next = await readings.next()
    #expect(next?.lowPower?.cause == "battery 12%")
    signals.stop()
    #expect(await readings.next() == nil)
  }

  @Test func `timers run only for what the machine has and none after the end`() async {
    let bare = device.signals()
    var readings = bare.start().makeAsyncIterator()
    #expect(await readings.next() != nil)
    #expect(bare.sourceCount == 0)

    discharging(50)
    device.zone(0, type: "x86_pkg_temp", temperature: 40_000, trips: [])
    let equipped = device.signals()
    var more = equipped.start().makeAsyncIterator()
    #expect(await more.next() != nil)
    #expect(equipped.sourceCount == 2)
    equipped.stop()
    #expect(equipped.sourceCount == 0)
  }

  @Test func `a second start ends the stream of the first`() async {
    let signals = device.signals()
    var first = signals.start().makeAsyncIterator()
    var second = signals.start().makeAsyncIterator()
    #expect(await second.next() != nil)
    while await first.next() != nil {}
    signals.stop()
  }

  @Test func `the root of sysfs can be set by the environment`() {
    #expect(DeviceRoots(environment: [:]).system == "/sys")
    #expect(DeviceRoots(environment: ["RALLY_SYSFS": ""]).system == "/sys")
    #expect(DeviceRoots(environment: ["RALLY_SYSFS": "/tmp/fake"]).system == "/tmp/fake")
  }

  @Test func `ages and temperatures are not changes but values, sources and causes are`() {
    var readings = DeviceReadings()
    readings.thermal = SignalReading(.fair, source: "thermal zones", detail: "acpitz 71 °C")
    var later = readings
    later.thermal?.detail = "acpitz 72 °C"
    later.thermal?.readAt = .now.advanced(by: .seconds(10))
    #expect(later.hasSameValues(as: readings))
    later.thermal?.value = .serious
    #expect(!later.hasSameValues(as: readings))
    later = readings
    later.thermal?.cause = "heat"
    #expect(!later.hasSameValues(as: readings))
    later = readings
    later.network = SignalReading(true, source: "netlink")
    #expect(!later.hasSameValues(as: readings))
  }
}
