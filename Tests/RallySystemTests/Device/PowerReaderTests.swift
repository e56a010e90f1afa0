import RallyWire
import Testing

@testable import RallySystem

struct PowerReaderTests {
  private let device = FakeDevice()

  private func look() -> SignalReading<Bool>? {
    device.signals().look().lowPower
  }

  private func battery(
    _ name: String = "BAT0", _ status: String = "Discharging", capacity: String? = nil,
    level: String? = nil, scope: String? = nil
  ) {
    let folder = "class/power_supply/\(name)"
    device.write("\(folder)/type", "Battery")
    device.write("\(folder)/status", status)
    if let capacity { device.write("\(folder)/capacity", capacity) }
    if let level { device.write("\(folder)/capacity_level", level) }
    if let scope { device.write("\(folder)/scope", scope) }
  }

  @Test func `a device without batteries and profiles has no source`() {
    #expect(look() == nil)
    device.write("class/power_supply/AC/type", "Mains")
    #expect(look() == nil)
  }

  @Test(arguments: [("21", false), ("20", true), ("12", true), ("0", true)])
  func `a battery is low from a fifth on`(_ capacity: String, _ isLow: Bool) {
    battery(capacity: capacity)
    #expect(look()?.value == isLow)
    #expect(look()?.source == "battery BAT0")
    #expect(look()?.cause == (isLow ? "battery \(capacity)%" : nil))
  }

  @Test(arguments: ["Charging", "Full", "Not charging", "Unknown"])
  func `only a discharging battery constrains`(_ status: String) {
    battery("BAT0", status, capacity: "5")
    #expect(look()?.value == false)
  }

  @Test(arguments: [("Low", true), ("Critical", true), ("Normal", false), ("Full", false)])
  func `a battery that knows only its level counts by that`(_ level: String, _ isLow: Bool) {
    battery(level: level)
    #expect(look()?.value == isLow)
  }

  @Test func `the battery of a mouse is nobody's battery`() {
    battery("hidpp_battery_0", capacity: "3", scope: "Device")
    #expect(look() == nil)
    #expect(!PowerReader(reader: device.system).hasBattery)
  }

  @Test func `with two batteries the fuller one decides`() {
    battery("BAT0", "Unknown", capacity: "4")
    battery("BAT1", capacity: "80")
    #expect(look()?.value == false)
    battery("BAT1", capacity: "15")
    #expect(look()?.value == true)
    #expect(look()?.cause == "battery 15%")
  }

  @Test func `a charge that cannot be read is no reason to constrain`() {
    battery(capacity: "")
    #expect(look()?.value == false)
    battery(capacity: "4000")
    #expect(look()?.value == false)
  }

  @Test(arguments: [
    ("low-power", true), ("balanced", false), ("quiet", false), ("cool", false),
    ("performance", false),
  ])
  func `only the profile that saves power is low power`(_ profile: String, _ isLow: Bool) {
    device.write("firmware/acpi/platform_profile", profile)
    #expect(look()?.value == isLow)
    #expect(look()?.source == "platform profile")
  }

  @Test func `either source is enough and the one that constrains is named`() {
    device.write("firmware/acpi/platform_profile", "balanced")
    battery(capacity: "9")
    #expect(look()?.source == "battery BAT0")
    #expect(look()?.value == true)
    device.write("firmware/acpi/platform_profile", "low-power")
    battery(capacity: "90")
    #expect(look()?.source == "platform profile")
    #expect(look()?.value == true)
  }
}
