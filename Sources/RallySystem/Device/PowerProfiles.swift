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
