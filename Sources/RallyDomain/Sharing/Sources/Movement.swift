import RallySystem
import RallyWire

/// Whether a device has moved between two fixes, or its receiver only drifts.
public enum Movement {
  /// Metres. Less is no movement, however accurate a receiver claims to be.
  static let least = 5.0
  /// Metres per second. A receiver that measures less stands still; walking is 1.4 m/s.
  static let stillSpeed = 0.5

  /// Whether the distance is larger than the accuracy of both fixes and 5 m; twice as large if the
  /// receiver says that it stands still.
  public static func isMovement(from start: LocationFix, to end: LocationFix) -> Bool {
    let noise = max(least, start.accuracyMetres ?? 0, end.accuracyMetres ?? 0)
    let isStill = end.speed.map { $0 < stillSpeed } ?? false
    return start.coordinate.distance(to: end.coordinate) > (isStill ? 2 * noise : noise)
  }
}

/// Passes on the fixes of a source that tell something new: movement, a better accuracy, or that
/// the device is still there, once a minute.
public struct FixFilter: Sendable {
  /// While the device stands still, a fix is passed on this often at most.
  static let stillInterval = Duration.seconds(60)

  private var last: (fix: LocationFix, at: WireTime)?

  public init() {}

  /// - Parameter now: When the fix arrived.
  /// - Returns: Whether to pass the fix on.
  public mutating func passes(_ fix: LocationFix, at now: WireTime) -> Bool {
    if let last, !Movement.isMovement(from: last.fix, to: fix),
      !Self.isMoreAccurate(fix, than: last.fix),
      last.at.isRecent(within: Self.stillInterval, at: now)
    {
      return false
    }
    last = (fix, now)
    return true
  }

  /// Whether a fix is twice as accurate as another one.
  static func isMoreAccurate(_ fix: LocationFix, than last: LocationFix) -> Bool {
    guard let accuracy = fix.accuracyMetres else { return false }
    return last.accuracyMetres.map { accuracy < $0 / 2 } ?? true
  }
}
