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
