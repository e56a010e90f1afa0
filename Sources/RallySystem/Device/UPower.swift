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
