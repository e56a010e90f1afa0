import RallySystem
import RallyWire

/// Decides when a position is sent that may be seen precisely: not while the device stands still,
/// and while it moves at most once per interval.
///
/// Coarse positions need no sampling: they are sent when their cell changes, and at once.
struct PositionSampler {
  /// The interval is measured between attempts by a timer of the same interval, which is never
  /// exact; without this part of it every second tick would come too early.
  private static let slack = 10

  private var sent: LocationFix?
  private var attemptedAt: WireTime?

  /// Whether a precise position is due.
  ///
  /// - Parameters:
  ///   - known: My position as the server has it; nil if it has none.
  ///   - interval: The map's interval by the runtime policy.
  func isDue(
    _ fix: LocationFix, known: OwnPosition?, interval: Duration, at now: WireTime
  ) -> Bool {
    // What the user says is sent at once.
    if fix.source == LocationFix.manualSource { return true }
    // Friends see nothing yet, or less than they may.
    guard let known, known.precision == .precise else { return true }
    let last =
      sent ?? LocationFix(coordinate: known.coordinate, recordedAt: known.recordedAt)
    guard Movement.isMovement(from: last, to: fix) else { return false }
    return !isTooEarly(interval: interval, at: now)
  }

  /// Whether the last attempt was less than an interval ago.
  func isTooEarly(interval: Duration, at now: WireTime) -> Bool {
    guard let attemptedAt else { return false }
    return attemptedAt.isRecent(within: interval - interval / Self.slack, at: now)
  }

  /// Notes that the position is being sent.
  mutating func attempting(at now: WireTime) { attemptedAt = now }

  /// Notes that the server has the position.
  mutating func sent(_ fix: LocationFix) { sent = fix }
}

/// The last position that this program sent, without the position.
public struct SentReport: Hashable, Sendable {
  public var precision: SharingMode
  /// The source of the fix, which a coarse report does not carry.
  public var source: String
  public var at: WireTime
}
