import RallyClient
import RallyWire

/// Whether a device has stood still for so long that it is measured less often.
struct Stillness {
  /// How long it must have stood still.
  static let patience = Duration.seconds(60)
  /// How often it is measured then: the shortest interval at which a position is sent, so that a
  /// movement is not noticed too late for it.
  static let interval = Duration.seconds(15)
  /// How much later it may be measured: long enough for a heartbeat of the realtime connection, so
  /// that both need one wake-up.
  static let tolerance = RealtimeProtocol.heartbeatInterval - Stillness.interval + .seconds(5)

  private var start: (fix: LocationFix, at: WireTime)?
  /// How many fixes there were since it stands still.
  private(set) var count = 0

  /// Takes a fix.
  ///
  /// - Parameter now: When it arrived.
  /// - Returns: Whether the device has stood still for the whole of `patience`.
  mutating func take(_ fix: LocationFix, at now: WireTime) -> Bool {
    guard let start, !Movement.isMovement(from: start.fix, to: fix), now >= start.at else {
      start = (fix, now)
      count = 1
      return false
    }
    count += 1
    return now.since(start.at) >= Self.patience
  }
}
