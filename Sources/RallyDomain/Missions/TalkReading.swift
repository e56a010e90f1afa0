import FoundationEssentials
import RallyWire

/// Up to when the talk of each mission was seen on this machine.
struct TalkReading: StoreSnapshot {
  static let name = "talk-seen"
  /// How many missions are remembered; the one seen longest ago is dropped.
  static let limit = 500

  /// When it was changed last.
  var asOf: WireTime
  /// When this machine began to remember: older lines count as seen.
  private(set) var since: WireTime
  private(set) var seen: [UUID: WireTime] = [:]

  init(since: WireTime) {
    asOf = since
    self.since = since
  }

  /// Up to when a mission's talk was seen.
  ///
  /// - Parameter joinedAt: When I joined: what was said before was not said to me.
  func seenUpTo(_ missionID: UUID, joinedAt: WireTime?) -> WireTime {
    seen[missionID] ?? max(since, joinedAt ?? since)
  }

  /// - Returns: Whether the time is later than the one known.
  mutating func see(_ missionID: UUID, upTo time: WireTime, now: WireTime) -> Bool {
    guard seen[missionID].map({ $0 < time }) ?? true else { return false }
    seen[missionID] = time
    asOf = now
    if seen.count > Self.limit, let oldest = seen.min(by: { $0.value < $1.value }) {
      since = max(since, oldest.value)
      seen[oldest.key] = nil
    }
    return true
  }
}
