import RallyWire

/// Reads the platform profile and the batteries from sysfs.
struct PowerReader {
  let reader: AttributeReader

  static let profilePath = "firmware/acpi/platform_profile"
  private static let lowCapacity = 20

  var hasBattery: Bool { !batteryNames.isEmpty }
  var hasProfile: Bool { reader.text(PowerReader.profilePath) != nil }

  /// Only `low-power` asks to save power; `quiet` and `cool` are about noise and temperature.
  func profile(at now: WireTime) -> SignalReading<Bool>? {
    guard let profile = reader.text(PowerReader.profilePath) else { return nil }
    return SignalReading(
      profile == "low-power", source: "platform profile", cause: "low power", detail: profile,
      readAt: now)
  }

  /// Batteries of the machine; those of mice and headsets have the scope `Device`.
  private var batteryNames: [String] {
    reader.names(in: "class/power_supply").filter { name in
      let folder = "class/power_supply/\(name)"
      return reader.text("\(folder)/type") == "Battery"
        && reader.text("\(folder)/scope") != "Device"
        && reader.text("\(folder)/present") != "0"
    }
  }

  /// True if a battery is discharging, and each one is at 20 % or less or reports a low or critical
  /// level.
  func battery(at now: WireTime) -> SignalReading<Bool>? {
    let batteries = batteryNames.map { Battery(name: $0, reader) }
    // Report the fullest one: machines with two batteries drain them one after the other.
    guard let fullest = batteries.max(by: { $0.rank < $1.rank }) else { return nil }
    let isLow = batteries.contains(where: \.isDischarging) && batteries.allSatisfy(\.isLow)
    let charge = fullest.capacity.map { "\($0)%" } ?? fullest.level?.lowercased()
    return SignalReading(
      isLow, source: "battery \(fullest.name)",
      cause: isLow ? ["battery", charge].compactMap(\.self).joined(separator: " ") : nil,
      detail: [charge, fullest.status.lowercased()].compactMap(\.self).joined(separator: ", "),
      readAt: now)
  }

  private struct Battery {
    let name: String
    let status: String
    let capacity: Int?
    let level: String?

    init(name: String, _ reader: AttributeReader) {
      let folder = "class/power_supply/\(name)"
      self.name = name
      status = reader.text("\(folder)/status") ?? "Unknown"
      capacity = reader.number("\(folder)/capacity").flatMap { (0...100).contains($0) ? $0 : nil }
      level = reader.text("\(folder)/capacity_level")
    }

    var isDischarging: Bool { status == "Discharging" }

    var isLow: Bool {
      if let capacity { return capacity <= PowerReader.lowCapacity || isLevelLow }
      return isLevelLow
    }

    private var isLevelLow: Bool { level == "Low" || level == "Critical" }

    var rank: Int { capacity ?? (isLevelLow ? 0 : 100) }
  }
}

/// power-profiles-daemon, or a service in its place (tuned, TLP).
struct PowerProfiles {
  /// The present name of the service, and the one of versions before 0.20.
  static let objects = [
    BusObject(
      service: "org.freedesktop.UPower.PowerProfiles",
      path: "/org/freedesktop/UPower/PowerProfiles",
      interface: "org.freedesktop.UPower.PowerProfiles"),
    BusObject(
      service: "net.hadess.PowerProfiles", path: "/net/hadess/PowerProfiles",
      interface: "net.hadess.PowerProfiles"),
  ]
  private static let names = ["power profiles", "power profiles (net.hadess)"]

  let bus: [BusObject: BusAnswer]

  /// Whether the profile that saves power is active.
  var lowPower: [SignalOffer<Bool>] {
    offers { (values, name) throws(UnusableAnswer) in
      let profile = try values.text("ActiveProfile")
      let holder = try? values.text("ActiveProfileHolds/ApplicationId")
      let reason = try? values.text("ActiveProfileHolds/Reason")
      let hold = [holder, reason].compactMap(\.self).filter { !$0.isEmpty }
      let isOn = profile == "power-saver"
      return SignalReading(
        isOn, source: name, cause: isOn ? "power saver" : nil,
        detail: profile + (hold.isEmpty ? "" : " for \(hold.joined(separator: ": "))"),
        readAt: values.readAt)
    }
  }

  /// Whether the processor is slowed down by heat.
  var thermal: [SignalOffer<ThermalState>] {
    offers { (values, name) throws(UnusableAnswer) in
      let reason = try values.text("PerformanceDegraded")
      let state: ThermalState =
        switch reason {
        case "high-operating-temperature": .serious
        case "lap-detected": .fair
        default: .nominal
        }
      return SignalReading(
        state, source: name, cause: state >= .serious ? "heat" : nil,
        detail: reason.isEmpty ? nil : reason, readAt: values.readAt)
    }
  }

  private func offers<Value>(
    _ read: (ServiceValues, String) throws(UnusableAnswer) -> SignalReading<Value>
  ) -> [SignalOffer<Value>] {
    zip(Self.objects, Self.names).map { object, name in
      SignalOffer(name, bus[object]) { values throws(UnusableAnswer) in try read(values, name) }
    }
  }
}

/// UPower's view of all batteries together.
struct UPower {
  static let service = BusObject(
    service: "org.freedesktop.UPower", path: "/org/freedesktop/UPower",
    interface: "org.freedesktop.UPower")
  static let battery = BusObject(
    service: "org.freedesktop.UPower", path: "/org/freedesktop/UPower/devices/DisplayDevice",
    interface: "org.freedesktop.UPower.Device")

  private enum WarningLevel {
    static let low: Int64 = 3
    static let all: ClosedRange<Int64> = 0...5
  }

  private static let states = [
    1: "charging", 2: "discharging", 3: "empty", 4: "full", 5: "pending charge",
    6: "pending discharge",
  ]

  let bus: [BusObject: BusAnswer]

  /// True if the machine runs on a battery whose charge is low by UPower's own limits.
  var lowPower: SignalOffer<Bool> {
    SignalOffer("UPower", bus[Self.service]) { service throws(UnusableAnswer) in
      guard try service.flag("OnBattery") else {
        let charge = (try? battery()).flatMap(Self.charge)
        return SignalReading(
          false, source: "UPower",
          detail: ["on mains", charge].compactMap(\.self).joined(separator: ", "),
          readAt: service.readAt)
      }
      let battery = try battery()
      let level = try battery.number("WarningLevel", in: WarningLevel.all)
      let charge = Self.charge(battery)
      let state = (try? battery.number("State", in: 0...6)).flatMap { Self.states[Int($0)] }
      let isLow = level >= WarningLevel.low
      return SignalReading(
        isLow, source: "UPower",
        cause: isLow ? ["battery", charge].compactMap(\.self).joined(separator: " ") : nil,
        detail: [charge, state].compactMap(\.self).joined(separator: ", "),
        readAt: max(service.readAt, battery.readAt))
    }
  }

  private func battery() throws(UnusableAnswer) -> ServiceValues {
    guard case .values(let values, let time) = bus[Self.battery] else {
      throw UnusableAnswer(reason: "the battery does not answer")
    }
    return ServiceValues(values: values, readAt: time)
  }

  private static func charge(_ battery: ServiceValues) -> String? {
    guard case .real(let percentage) = battery.values["Percentage"],
      (0...100).contains(percentage), battery.values["IsPresent"] != .flag(false)
    else { return nil }
    return "\(Int(percentage.rounded()))%"
  }
}
