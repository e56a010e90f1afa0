/// NetworkManager's view of the connection that the default route uses.
struct NetworkManager {
  static let object = BusObject(
    service: "org.freedesktop.NetworkManager", path: "/org/freedesktop/NetworkManager",
    interface: "org.freedesktop.NetworkManager")
  static let name = "NetworkManager"

  /// Values of `NMMetered`.
  private enum Metered {
    static let unknown: Int64 = 0
    static let yes: Int64 = 1
    static let guessYes: Int64 = 3
    static let all: ClosedRange<Int64> = 0...4
    static let words = [
      "unknown", "metered", "not metered", "guessed metered", "guessed not metered",
    ]
  }

  private static let connectivity = ["not known", "none", "captive portal", "limited", "full"]

  let bus: [BusObject: BusAnswer]

  /// Whether the connection is metered, also if that is a guess.
  var expensive: SignalOffer<Bool> {
    metered { $0 == Metered.yes || $0 == Metered.guessYes ? "metered" : nil }
  }

  /// Whether somebody set the connection to metered. A guess is not enough.
  var lowData: SignalOffer<Bool> { metered { $0 == Metered.yes ? "low data" : nil } }

  /// Whether the connection leads anywhere. A captive portal and a limited connection count: the
  /// server may be on this side of them.
  var network: SignalOffer<Bool> {
    SignalOffer(Self.name, bus[Self.object]) { values throws(UnusableAnswer) in
      let state = try values.number("Connectivity", in: 0...4)
      guard state != 0 else { throw UnusableAnswer(reason: Self.connectivity[0]) }
      return SignalReading(
        state != 1, source: Self.name, detail: Self.connectivity[Int(state)],
        readAt: values.readAt)
    }
  }

  private func metered(_ cause: (Int64) -> String?) -> SignalOffer<Bool> {
    SignalOffer(Self.name, bus[Self.object]) { values throws(UnusableAnswer) in
      let metered = try values.number("Metered", in: Metered.all)
      guard metered != Metered.unknown else { throw UnusableAnswer(reason: Metered.words[0]) }
      let kind = try? values.text("PrimaryConnectionType")
      return SignalReading(
        cause(metered) != nil, source: Self.name, cause: cause(metered),
        detail: [Metered.words[Int(metered)], kind].compactMap(\.self).filter { !$0.isEmpty }
          .joined(separator: ", "),
        readAt: values.readAt)
    }
  }
}

/// The desktop portal's network monitor, for programs in a sandbox.
struct PortalNetwork {
  static let object = BusObject(
    service: "org.freedesktop.portal.Desktop", path: "/org/freedesktop/portal/desktop",
    interface: "org.freedesktop.portal.NetworkMonitor", method: "GetStatus")
  private static let name = "portal"

  let bus: [BusObject: BusAnswer]

  var expensive: SignalOffer<Bool> { flag("metered", cause: "metered") }
  var network: SignalOffer<Bool> { flag("available", cause: nil) }

  private func flag(_ key: String, cause: String?) -> SignalOffer<Bool> {
    SignalOffer(Self.name, bus[Self.object]) { values throws(UnusableAnswer) in
      let isOn = try values.flag(key)
      return SignalReading(
        isOn, source: Self.name, cause: isOn ? cause : nil, readAt: values.readAt)
    }
  }
}
